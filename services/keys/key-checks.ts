/**
 * Looks keys up and counts requests. Requests with the same key that arrive while a lookup is in progress share the
 * next one. Each is still checked after it arrived, and requests of a busy key do not queue for one database row.
 */
import { ApiKey } from '../../entities/api-key.ts';
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { createGroupedBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import { RATE_LIMIT, type RateRow, rateStateOf } from '../limits/postgres-rate-limiter.ts';
import { type RateState, WINDOW_SECONDS, type WithLimiter } from '../limits/rate-limiter.ts';
import type { Caller } from '../access/caller.ts';
import { isUseStale } from './last-used.ts';
import { scopesOf } from '../access/limits.ts';

/**
 * Maximum number of requests that share a lookup: enough to avoid contention on one row's lock, few enough to spread
 * their answers over time.
 */
const TOGETHER_MAX = 4;

/** A checked key, and the state of its rate-limit window when the request was counted. */
export interface Admission {
  readonly caller: Caller;
  readonly rate: RateState | undefined;
  /** When the access token of the caller expires; absent for a key. */
  readonly expiresAt?: Date;
}

export interface KeyChecks {
  /** Returns null when no valid key has the hash. With `bucket`, the request is counted in the same round trip. */
  check(secretHash: string, bucket: string | undefined): Promise<Admission | null>;
}

/** Checks API keys, and counts their requests. */
export interface WithKeyChecks {
  readonly keyChecks: KeyChecks;
}

const KEY = columns(
  'api_keys',
  ['id', 'account_id', 'name', 'profile_id', 'type', 'scopes', 'approval', 'policy_id', 'last_used_at'],
  'k',
);

/** SQL that finds the key of a secret, unless it was revoked or has expired. */
const isActive = ({ secretHash, now }: { readonly secretHash: string; readonly now: string }) =>
  `k.secret_hash = ${secretHash} and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})`;

type KeyRow = RowOf<typeof findKey>;

const findKey = statement('find a key', {
  parameters: { secretHash: 'text', now: 'timestamptz' },
  result: KEY.types,
  sql: (given) => `select ${KEY.sql} from api_keys k where ${isActive(given)}`,
});

const findKeyAndCount = statement('find a key and count its requests', {
  parameters: { secretHash: 'text', bucket: 'text', ...RATE_LIMIT.parameters },
  result: { ...KEY.types, ...RATE_LIMIT.result },
  sql: ({ secretHash, bucket, ...given }) => `
    select ${KEY.sql}, l.accepted, l.used, l.oldest from api_keys k
    cross join lateral ${RATE_LIMIT.count(`k.id::text || ' ' || ${bucket}`, given)} l
    where ${isActive({ secretHash, now: given.now })}`,
});

/** A key that a request presents, and the bucket that the request counts in. */
interface Check {
  readonly secretHash: string;
  readonly bucket: string | undefined;
}

export function createKeyChecks(context: Context & WithLimiter): KeyChecks {
  const checks = createGroupedBatcher<Check, Admission | null>(
    ({ secretHash, bucket }) => `${secretHash} ${bucket ?? ''}`,
    (requests) => look(context, requests),
    TOGETHER_MAX,
  );
  return { check: (secretHash, bucket) => checks.add({ secretHash, bucket }) };
}

/** Returns one admission per request with the same key and bucket; nulls when the key is invalid. */
async function look(context: Context & WithLimiter, checks: readonly Check[]): Promise<(Admission | null)[]> {
  const [first] = checks;
  if (first === undefined) return [];
  const { secretHash, bucket } = first;
  const requests = checks.length;
  const now = context.clock.now();
  const { limit, countsInDatabase = false } = context.limiter;
  const given = { now, requests, limit, windowSeconds: WINDOW_SECONDS };
  const [row]: (KeyRow & Partial<RateRow>)[] =
    bucket === undefined || !countsInDatabase
      ? await findKey(context.db.queries, { secretHash, now })
      : await findKeyAndCount(context.db.queries, { secretHash, bucket, ...given });
  if (row === undefined) return Array.from({ length: requests }, () => null);
  await touch(context, row, now);
  const caller: Caller = {
    accountId: row.account_id,
    keyId: row.id,
    profileId: row.profile_id,
    mode: row.type,
    scopes: scopesOf(row.scopes),
    approval: row.approval,
    policyId: row.policy_id,
    actor: { kind: 'key', id: row.id, name: row.name },
  };
  const rateOf = async (index: number): Promise<RateState | undefined> => {
    if (bucket === undefined) return undefined;
    return countsInDatabase ? rateStateOf(row as RateRow, limit, index) : countRequest(context, caller, bucket);
  };
  return Promise.all(Array.from({ length: requests }, async (_, index) => ({ caller, rate: await rateOf(index) })));
}

/** Counts one more request of an authenticated caller. */
export function countRequest(context: Context & WithLimiter, caller: Caller, bucket: string): Promise<RateState> {
  return context.limiter.take(`${caller.keyId} ${bucket}`, context.clock.now());
}

async function touch(context: Context, key: KeyRow, now: Date): Promise<void> {
  if (!isUseStale(key.last_used_at, now)) return;
  await context.db.em().nativeUpdate(ApiKey, { id: key.id }, { lastUsedAt: now });
}
