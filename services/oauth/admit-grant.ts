/** Resolves the grant of an access token to a Caller, and counts the request in the same round trip. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { takeFor } from '../keys/authenticate.ts';
import type { Admission } from '../keys/key-checks.ts';
import { isUseStale } from '../keys/last-used.ts';
import type { Scope } from '../keys/scopes.ts';
import { type RateRow, rateStateOf } from '../limits/postgres-rate-limiter.ts';
import { WINDOW_SECONDS } from '../limits/rate-limiter.ts';

interface GrantRow extends Partial<RateRow> {
  id: string;
  account_id: string;
  client_id: string;
  client_name: string;
  profile_id: string | null;
  mode: 'live' | 'test';
  last_used_at: string | null;
}

const COLUMNS = 'g.id, g.account_id, g.client_id, g.client_name, g.profile_id, g.mode, g.last_used_at';
const FROM = 'oauth_grants g left join profiles p on p.id = g.profile_id';
/** A grant for one profile ends with the profile. */
const ALIVE = 'g.id = $1 and g.client_id = $2 and g.revoked_at is null and p.deleted_at is null';

/** The claims of a verified access token. */
export interface AccessToken {
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** @returns null when the grant was revoked, by its owner or by its client */
export async function admitGrant(context: Context, token: AccessToken, bucket: string): Promise<Admission | null> {
  const now = context.clock.now();
  const { limit, sqlFunction } = context.limiter;
  const [row] = await query<GrantRow>(
    context.db.em(),
    sqlFunction === undefined
      ? `select ${COLUMNS} from ${FROM} where ${ALIVE}`
      : `select ${COLUMNS}, l.accepted, l.used, l.oldest from ${FROM}
         cross join lateral ${sqlFunction}(g.id::text || ' ' || $3, $4, 1, $5, $6) l where ${ALIVE}`,
    [token.grantId, token.clientId, ...(sqlFunction === undefined ? [] : [bucket, now, limit, WINDOW_SECONDS])],
  );
  if (row === undefined) return null;
  await touch(context, row, now);
  const caller = callerOf(row, token.scopes);
  const rate = sqlFunction === undefined ? await takeFor(context, caller, bucket) : rateStateOf(row as RateRow, limit);
  return { caller, rate };
}

function callerOf(row: GrantRow, scopes: ReadonlySet<Scope>): Caller {
  return {
    accountId: row.account_id,
    keyId: row.id,
    profileId: row.profile_id,
    mode: row.mode,
    scopes,
    actor: { kind: 'oauth_client', id: row.client_id, name: row.client_name },
  };
}

async function touch(context: Context, grant: GrantRow, now: Date): Promise<void> {
  if (!isUseStale(grant.last_used_at, now)) return;
  await query(context.db.em(), 'update oauth_grants set last_used_at = $2 where id = $1', [grant.id, now]);
}
