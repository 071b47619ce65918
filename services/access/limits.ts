/**
 * The limits of a key or an OAuth grant. A key created under it has at least the same limits: only this module derives
 * the limits of a key from those of its maker (docs/decisions/0062-inherit-the-limits-of-a-key-or-grant.md).
 */
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { isScope, SCOPES, type Scope } from './scopes.ts';

export interface Limits {
  /** The only profile that is reachable; null reaches the whole account. */
  readonly profileId: string | null;
  /** Test mode reaches only sandbox connections and creates test posts. */
  readonly mode: 'live' | 'test';
  /** The granted scopes; null for all of them. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** Whether what it wants to send waits for a person (docs/contract/approvals.md). */
  readonly approval: ApprovalRule;
  /** Id of the policy that its posts follow; null for none (docs/contract/policies.md). */
  readonly policyId: string | null;
}

/**
 * Whether a person watches what it sends. It may then not change what goes out in other ways than by asking for posts, nor
 * decide about the posts of others.
 */
export function isSupervised({ approval, policyId }: Pick<Limits, 'approval' | 'policyId'>): boolean {
  return approval === 'required' || policyId !== null;
}

/** The requested limits of a key; omitted scopes and rules default to those of the maker. */
export interface WantedLimits {
  readonly profileId: string;
  readonly mode: 'live' | 'test';
  readonly scopes?: readonly Scope[] | undefined;
  readonly approval?: ApprovalRule | undefined;
}

/**
 * The limits of a key that `maker` creates. Whether the maker reaches the profile is checked when the profile is
 * locked.
 *
 * @throws ServiceError forbidden when the request exceeds the maker's own limits
 */
export function limitsWithin(
  maker: Limits,
  { profileId, mode, scopes, approval = maker.approval }: WantedLimits,
): Limits {
  if (maker.mode === 'test' && mode === 'live') {
    throw new ServiceError('forbidden', 'type: a test key mints test keys only, not live; use a live key.');
  }
  const beyond = (scopes ?? []).filter((scope) => maker.scopes !== null && !maker.scopes.has(scope));
  if (beyond.length > 0) {
    throw new ServiceError('forbidden', `scopes: the caller does not have ${beyond.join(', ')} and cannot grant it.`);
  }
  if (maker.approval === 'required' && approval === 'none') {
    throw new ServiceError(
      'forbidden',
      'approval: posts of the caller need approval, so those of its keys do too; send required, or leave it out.',
    );
  }
  const { policyId } = maker;
  return { profileId, mode, approval, policyId, scopes: scopes === undefined ? maker.scopes : new Set(scopes) };
}

/** Scopes as they are stored and shown: in the order of the table, null for all. */
export function scopeList(scopes: ReadonlySet<Scope> | null): Scope[] | null {
  return scopes === null ? null : (Object.keys(SCOPES) as Scope[]).filter((scope) => scopes.has(scope));
}

/** @param stored names as a row contains them */
export function scopesOf(stored: readonly string[] | null): ReadonlySet<Scope> | null {
  return stored === null ? null : new Set(stored.filter(isScope));
}
