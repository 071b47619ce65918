/** Resolves the grant of an access token to a Caller, and counts the request in the same round trip. */
import { columns } from '../../entities/column-lists.ts';
import { OauthGrant } from '../../entities/oauth-grant.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { countRequest } from '../keys/authenticate.ts';
import type { Admission } from '../keys/key-checks.ts';
import { isUseStale } from '../keys/last-used.ts';
import { scopesWithinRole } from '../access/roles.ts';
import type { Scope } from '../access/scopes.ts';
import { RATE_LIMIT, type RateRow, rateStateOf } from '../limits/postgres-rate-limiter.ts';
import { WINDOW_SECONDS, type WithLimiter } from '../limits/rate-limiter.ts';

const GRANT = columns(
  'oauth_grants',
  ['id', 'account_id', 'client_id', 'client_name', 'profile_id', 'mode', 'approval', 'policy_id', 'last_used_at'],
  'g',
);

interface GrantParameters {
  readonly grantId: string;
  readonly clientId: string;
}

const PERSON = columns('owners', ['role'], 'o');

const FROM = 'oauth_grants g join owners o on o.id = g.owner_id left join profiles p on p.id = g.profile_id';
/** A grant for one profile ends with the profile. */
const isActive = ({ grantId, clientId }: GrantParameters) =>
  `g.id = ${grantId} and g.client_id = ${clientId} and g.revoked_at is null and p.deleted_at is null`;

const findGrant = statement('find a grant', {
  parameters: { grantId: 'uuid', clientId: 'text' },
  result: { ...GRANT.types, ...PERSON.types },
  sql: (given) => `select ${GRANT.sql}, ${PERSON.sql} from ${FROM} where ${isActive(given)}`,
});

type GrantRow = RowOf<typeof findGrant>;

const findGrantAndCount = statement('find a grant and count a request', {
  parameters: { grantId: 'uuid', clientId: 'text', bucket: 'text', ...RATE_LIMIT.parameters },
  result: { ...GRANT.types, ...PERSON.types, ...RATE_LIMIT.result },
  sql: ({ grantId, clientId, bucket, ...given }) => `
    select ${GRANT.sql}, ${PERSON.sql}, l.accepted, l.used, l.oldest from ${FROM}
    cross join lateral ${RATE_LIMIT.count(`g.id::text || ' ' || ${bucket}`, given)} l
    where ${isActive({ grantId, clientId })}`,
});

/** The claims of a verified access token. */
export interface AccessToken {
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly expiresAt: Date;
}

/**
 * @param bucket of the request; undefined when it is counted later
 * @returns null when the grant was revoked, or the person who gave it has left the account
 */
export async function admitGrant(
  context: Context & WithLimiter,
  token: AccessToken,
  bucket: string | undefined,
): Promise<Admission | null> {
  const now = context.clock.now();
  const { limit, countsInDatabase = false } = context.limiter;
  const { grantId, clientId } = token;
  const given = { now, requests: 1, limit, windowSeconds: WINDOW_SECONDS };
  const [row]: (GrantRow & Partial<RateRow>)[] =
    countsInDatabase && bucket !== undefined
      ? await findGrantAndCount(context.db.queries, { grantId, clientId, bucket, ...given })
      : await findGrant(context.db.queries, { grantId, clientId });
  if (row === undefined) return null;
  await touch(context, row, now);
  const caller = callerOf(row, token.scopes);
  if (bucket === undefined) return { caller, rate: undefined, expiresAt: token.expiresAt };
  const rate = countsInDatabase ? rateStateOf(row as RateRow, limit) : await countRequest(context, caller, bucket);
  return { caller, rate, expiresAt: token.expiresAt };
}

function callerOf(row: GrantRow, scopes: ReadonlySet<Scope>): Caller {
  return {
    accountId: row.account_id,
    keyId: row.id,
    profileId: row.profile_id,
    mode: row.mode,
    approval: row.approval,
    policyId: row.policy_id,
    // The person's role may be less than when the grant was given.
    scopes: new Set(scopesWithinRole(scopes, row.role)),
    allowedByRole: row.role,
    actor: { kind: 'oauth_client', id: row.client_id, name: row.client_name },
  };
}

async function touch(context: Context, grant: GrantRow, now: Date): Promise<void> {
  if (!isUseStale(grant.last_used_at, now)) return;
  await context.db.em().nativeUpdate(OauthGrant, { id: grant.id }, { lastUsedAt: now });
}
