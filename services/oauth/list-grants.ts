/**
 * Lists the active grants of a person, a page at a time; for an owner, those of all people of the account. Those that were used or
 * given last come first.
 */
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { scopesWithinRole } from '../access/roles.ts';
import type { Scope } from '../access/scopes.ts';
import { type Page, pageOf } from '../paging.ts';
import type { SignedInPerson } from '../people/sign-ins.ts';
import { dateOf, dateOrNull } from '../timestamp.ts';

/** Number of grants on a page. */
const PAGE = 200;

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

const GRANT = columns(
  'oauth_grants',
  [
    'id',
    'client_name',
    'redirect_host',
    'scopes',
    'profile_id',
    'mode',
    'approval',
    'policy_id',
    'created_at',
    'last_used_at',
  ],
  'g',
);

const PERSON = columns('owners', ['email', 'role'], 'o');

/** Place of a grant in the list. */
const place = (alias: string) => `coalesce(${alias}.last_used_at, ${alias}.created_at), ${alias}.id`;

const findPage = statement('find a page of the grants of an account', {
  parameters: { accountId: 'uuid', ownerId: 'uuid?', cursor: 'uuid?' },
  result: { ...GRANT.types, ...PERSON.types, profile_name: 'text?' },
  sql: ({ accountId, ownerId, cursor }) => `
    select ${GRANT.sql}, ${PERSON.sql}, p.name profile_name
    from oauth_grants g join owners o on o.id = g.owner_id left join profiles p on p.id = g.profile_id
    where g.account_id = ${accountId} and g.revoked_at is null and p.deleted_at is null
      and (${ownerId} is null or g.owner_id = ${ownerId})
      and (${cursor} is null or (${place('g')}) <
        (select ${place('c')} from oauth_grants c where c.id = ${cursor} and c.account_id = ${accountId}))
    order by coalesce(g.last_used_at, g.created_at) desc, g.id desc limit ${PAGE + 1}`,
});

/** @param cursor id of the last grant of the page before */
export async function listGrants(
  context: Context,
  { ownerId, accountId, role }: Pick<SignedInPerson, 'ownerId' | 'accountId' | 'role'>,
  cursor?: string,
): Promise<Page<GrantView>> {
  const whose = role === 'owner' ? null : ownerId;
  const rows = await findPage(context.db.queries, { accountId, ownerId: whose, cursor: cursor ?? null });
  const grants = rows.map((row) => ({
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
  return pageOf(grants, PAGE);
}
