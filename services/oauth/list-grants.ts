/** Lists the active grants of a person, newest first. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../keys/scopes.ts';

/** Maximum number of grants that the page shows. */
const MOST = 200;

export interface GrantView {
  readonly id: string;
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly Scope[];
  /** Name of the only profile that it reaches; null reaches the whole account. */
  readonly profileName: string | null;
  readonly mode: 'live' | 'test';
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

interface Row {
  id: string;
  client_name: string;
  redirect_host: string;
  scopes: readonly Scope[];
  profile_name: string | null;
  mode: 'live' | 'test';
  created_at: string;
  last_used_at: string | null;
}

const LIST = `
  select g.id, g.client_name, g.redirect_host, array_to_json(g.scopes) as scopes, p.name as profile_name, g.mode,
    g.created_at, g.last_used_at
  from oauth_grants g left join profiles p on p.id = g.profile_id
  where g.owner_id = $1 and g.account_id = $2 and g.revoked_at is null and p.deleted_at is null
  order by g.id desc limit $3`;

export async function listGrants(
  context: Context,
  { ownerId, accountId }: { readonly ownerId: string; readonly accountId: string },
): Promise<GrantView[]> {
  const rows = await query<Row>(context.db.em(), LIST, [ownerId, accountId, MOST]);
  return rows.map((row) => ({
    id: row.id,
    clientName: row.client_name,
    redirectHost: row.redirect_host,
    scopes: typeof row.scopes === 'string' ? (JSON.parse(row.scopes) as Scope[]) : row.scopes,
    profileName: row.profile_name,
    mode: row.mode,
    createdAt: new Date(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  }));
}
