/** Records changes of grants in the audit log: allowed, denied, revoked, or ended because a token was used twice. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Role } from '../../entities/owner.ts';
import { recordChange } from '../audit/record-change.ts';
import type { AuditOutcome, Change } from '../audit/store-entries.ts';
import type { Context } from '../context.ts';
import type { Actor } from '../access/caller.ts';
import type { OwnerIdentity } from '../people/owner-caller.ts';

/** The person who decides on a grant, and their request. */
export interface Deciding extends OwnerIdentity {
  readonly role: Role;
  readonly requestId: string;
}

/** The content of an audit entry; the grant is null when none was created. */
export interface GrantChange extends Pick<Change, 'accountId' | 'surface' | 'mode' | 'profileId' | 'requestId'> {
  readonly actor: Actor;
  readonly operation: 'oauth.grant' | 'oauth.revoke' | 'oauth.replay';
  readonly grantId: string | null;
  readonly outcome: AuditOutcome;
}

/** @param em transaction of the change; omitted when the change writes no row */
export async function recordGrantChange(
  context: Context,
  { grantId, ...change }: GrantChange,
  em?: SqlEntityManager,
): Promise<void> {
  const object = grantId === null ? null : { type: 'oauth_grant', ids: [grantId] };
  await recordChange(context, { ...change, object }, em);
}
