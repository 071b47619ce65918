/**
 * Looks keys up and counts requests. Requests with the same key that arrive while a lookup is in progress share the
 * next one. Each is still checked after it arrived, and requests of a busy key do not queue for one database row.
 */
import { query } from '../../entities/query.ts';
import { type Batcher, createBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import { type RateRow, rateStateOf } from '../limits/postgres-rate-limiter.ts';
import { type RateState, WINDOW_SECONDS } from '../limits/rate-limiter.ts';
import type { Caller } from './caller.ts';
import { isUseStale } from './last-used.ts';
import { scopesOf } from './limits.ts';

/**
 * Maximum number of requests that share a lookup: enough to avoid contention on one row's lock, few enough to spread
 * their answers over time.
 */
const TOGETHER_MAX = 4;

/** A checked key, and the state of its rate-limit window when the request was counted. */
export interface Admission {
  readonly caller: Caller;
  readonly rate: RateState | undefined;
}

export interface KeyChecks {
  /** Returns null when no valid key has the hash. With `bucket`, the request is counted in the same round trip. */
  check(secretHash: string, bucket: string | undefined): Promise<Admission | null>;
}

interface KeyRow extends Partial<RateRow> {
  id: string;
  account_id: string;
  name: string;
  profile_id: string | null;
  type: 'live' | 'test';
  scopes: string | string[] | null;
  last_used_at: string | null;
}

const KEY_COLUMNS =
  'k.id, k.account_id, k.name, k.profile_id, k.type, array_to_json(k.scopes) as scopes, k.last_used_at';
const KEY_MATCHES = 'k.secret_hash = $1 and k.revoked_at is null';

/** The batch of one key and bucket, which exists while it contains a request. */
interface Group {
  readonly batcher: Batcher<void, Admission | null>;
  waiting: number;
}

/** @param context a function, because the checks are themselves part of the context */
export function createKeyChecks(context: () => Context): KeyChecks {
  const groups = new Map<string, Group>();
  const open = (secretHash: string, bucket: string | undefined): Group => ({
    batcher: createBatcher((requests) => look(context(), secretHash, bucket, requests.length), TOGETHER_MAX),
    waiting: 0,
  });
  return {
    check: async (secretHash, bucket) => {
      const name = `${secretHash} ${bucket ?? ''}`;
      const group = groups.get(name) ?? open(secretHash, bucket);
      groups.set(name, group);
      group.waiting += 1;
      try {
        return await group.batcher.add();
      } finally {
        group.waiting -= 1;
        if (group.waiting === 0) groups.delete(name);
      }
    },
  };
}

/** Returns one admission per request; nulls when the key is invalid. */
async function look(
  context: Context,
  hash: string,
  bucket: string | undefined,
  requests: number,
): Promise<(Admission | null)[]> {
  const now = context.clock.now();
  const { limit, sqlFunction } = context.limiter;
  const counted = bucket !== undefined && sqlFunction !== undefined;
  const sql = counted
    ? `select ${KEY_COLUMNS}, l.accepted, l.used, l.oldest from api_keys k
       cross join lateral ${sqlFunction}(k.id::text || ' ' || $2, $3, $4, $5, $6) l where ${KEY_MATCHES}`
    : `select ${KEY_COLUMNS} from api_keys k where ${KEY_MATCHES}`;
  const parameters = counted ? [hash, bucket, now, requests, limit, WINDOW_SECONDS] : [hash];
  const [row] = await query<KeyRow>(context.db.em(), sql, parameters);
  if (row === undefined) return Array.from({ length: requests }, () => null);
  await touch(context, row, now);
  const caller: Caller = {
    accountId: row.account_id,
    keyId: row.id,
    profileId: row.profile_id,
    mode: row.type,
    scopes: scopesOf(row.scopes),
    actor: { kind: 'key', id: row.id, name: row.name },
  };
  const rateOf = async (index: number): Promise<RateState | undefined> => {
    if (bucket === undefined) return undefined;
    return counted ? rateStateOf(row as RateRow, limit, index) : takeFor(context, caller, bucket);
  };
  return Promise.all(Array.from({ length: requests }, async (_, index) => ({ caller, rate: await rateOf(index) })));
}

/** Counts one more request of an authenticated caller. */
export function takeFor(context: Context, caller: Caller, bucket: string): Promise<RateState> {
  return context.limiter.take(`${caller.keyId} ${bucket}`, context.clock.now());
}

async function touch(context: Context, key: KeyRow, now: Date): Promise<void> {
  if (!isUseStale(key.last_used_at, now)) return;
  await query(context.db.em(), 'update api_keys set last_used_at = $2 where id = $1', [key.id, now]);
}
