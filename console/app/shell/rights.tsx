/**
 * What the session may do, as the service says it. The service checks every request; this keeps the page from offering
 * what it would refuse. A key is offered everything, because the page does not know its scopes.
 */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Right, Role } from '../data/session.ts';
import { useTRPC } from '../data/trpc.ts';
import { NAVIGATION, type NavigationEntry } from '../navigation.ts';
import { useSession } from './session-context.ts';

export interface Rights {
  /** Null for a key. */
  readonly role: Role | null;
  can(right: Right): boolean;
}

export function useRights(): Rights {
  const session = useSession();
  const isPerson = session.kind === 'person';
  // The page came with the answer; changes of people and reconnections read it again.
  const { data } = useQuery(
    useTRPC().people.session.queryOptions(
      {},
      { enabled: isPerson, staleTime: Infinity, ...(isPerson && { initialData: session.person }) },
    ),
  );
  if (data === undefined) return { role: null, can: () => true };
  const { role, scopes } = data;
  return { role, can: (right) => scopes === null || (right !== 'owner' && scopes.includes(right)) };
}

/** Whether the session may do something: `useCan('posts:write')`. */
export function useCan(right: Right): boolean {
  return useRights().can(right);
}

/** Why the session may not do something, for a person; null when it may. */
export function useRefusal(right: Right): string | null {
  const { role, can } = useRights();
  return role === null || can(right) ? null : `Your role, ${role}, does not allow this. Ask an owner of the account.`;
}

export interface AllowedProps {
  readonly to: Right;
  /** Shown to those who may not; nothing when absent. */
  readonly instead?: ReactNode;
  readonly children: ReactNode;
}

/** Shows what only some may use: `<Allowed to="posts:write">…</Allowed>`. */
export function Allowed({ to, instead = null, children }: AllowedProps) {
  return useCan(to) ? children : instead;
}

/** Says that the role does not allow what would be here. Shows nothing to those who may. */
export function Refusal({ of }: { of: Right }) {
  const refusal = useRefusal(of);
  return refusal === null ? null : <p className="hint">{refusal}</p>;
}

/** The entries of the navigation that the session is offered. */
export function useNavigation(): readonly NavigationEntry[] {
  const { can } = useRights();
  return NAVIGATION.filter(({ needs }) => needs === undefined || can(needs));
}
