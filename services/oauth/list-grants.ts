/** Lists the active grants of a person, newest first; for an owner, those of all people of the account. */
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { scopesWithinRole } from '../access/roles.ts';
import type { Scope } from '../access/scopes.ts';
import type { SignedInPerson } from '../people/sign-ins.ts';
import { dateOf, dateOrNull } from '../timestamp.ts';

/** Maximum number of grants that the page shows. */
const GRANTS_MAX = 200;

export interface GrantView {
  readonly id: string;
  readonly clientName: string;
  readonly redirectHost: string;
  /** What it may do now, within the role of the person who gave it. */
  readonly scopes: readonly Scope[];
  /** Address of that person. */
  readonly givenBy: string;
  /** Id of the only profile that it reaches; null reaches the whole account. */
  readonly profileId: string | null;
  /** Its name. */
  readonly profileName: string | null;
  readonly mode: 'live' | 'test';
  /** Whether what it wants to send waits for a person. */
  readonly approval: ApprovalRule;
  /** The policy that its posts follow; null for none. */
  readonly policyId: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export async function listGrants(
  context: Context,
  { ownerId, accountId, role }: Pick<SignedInPerson, 'ownerId' | 'accountId' | 'role'>,
): Promise<GrantView[]> {
  const rows = await tables(context.db.queries)
    .selectFrom('oauth_grants as g')
    .innerJoin('owners as o', 'o.id', 'g.owner_id')
    .leftJoin('profiles as p', 'p.id', 'g.profile_id')
    .select([
      'g.id',
      'g.client_name',
      'g.redirect_host',
      'g.scopes',
      'g.mode',
      'g.approval',
      'g.policy_id',
      'g.created_at',
      'g.last_used_at',
    ])
    .select(['p.id as profile_id', 'p.name as profile_name', 'o.email', 'o.role'])
    .$if(role !== 'owner', (query) => query.where('g.owner_id', '=', ownerId))
    .where('g.account_id', '=', accountId)
    .where('g.revoked_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .orderBy('g.id', 'desc')
    .limit(GRANTS_MAX)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    clientName: row.client_name,
    redirectHost: row.redirect_host,
    scopes: scopesWithinRole(row.scopes as Scope[], row.role),
    givenBy: row.email,
    profileId: row.profile_id,
    profileName: row.profile_name,
    mode: row.mode,
    approval: row.approval,
    policyId: row.policy_id,
    createdAt: dateOf(row.created_at),
    lastUsedAt: dateOrNull(row.last_used_at),
  }));
}
