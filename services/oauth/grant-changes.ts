/** How the audit tells what becomes of what agents may do: agreed to, denied, revoked, or ended because a token came twice. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { AuditOutcome, Change } from '../audit/store-entries.ts';
import type { Context } from '../context.ts';
import type { Actor } from '../keys/caller.ts';
import type { OwnerIdentity } from '../people/owner-caller.ts';

/** A person who says something about a grant, and the request in which they do. */
export interface Deciding extends OwnerIdentity {
  readonly requestId: string;
}

/** What an entry says of itself; the grant is null where none was made. */
export interface GrantChange extends Pick<Change, 'accountId' | 'surface' | 'mode' | 'profileId' | 'requestId'> {
  readonly actor: Actor;
  readonly operation: 'oauth.grant' | 'oauth.revoke' | 'oauth.replay';
  readonly grantId: string | null;
  readonly outcome: AuditOutcome;
}

/** @param em transaction of the change; left out where it makes no row */
export async function recordGrantChange(
  context: Context,
  { grantId, ...change }: GrantChange,
  em?: SqlEntityManager,
): Promise<void> {
  const object = grantId === null ? null : { type: 'oauth_grant', ids: [grantId] };
  await recordChange(context, { ...change, object }, em);
}
