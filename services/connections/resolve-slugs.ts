/**
 * Finds the connections that slugs name, among those that the caller reaches
 * (docs/contract/profiles-and-keys.md#scoped-keys, docs/contract/connections.md#slugs-without-a-profile).
 */
import type { ItemError } from '../../errors/item-error.ts';
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { ConnectionLimits } from '../../platforms/contract.ts';
import { createGroupedBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { PLAN_TERMS, type PlanTerms, planTerms } from '../plans/plan-terms.ts';
import { type ConnectionCredential, connectionCredential } from './connection-credential.ts';
import { SLUG_PATTERN } from './slug.ts';

/** A connection that can receive a post. */
export interface PostTarget extends ConnectionCredential {
  readonly slug: string;
  readonly platformId: string;
  readonly profileId: string | null;
  readonly limits: ConnectionLimits | null;
  /** The plan terms of the account. */
  readonly terms: PlanTerms;
  /** Whether anything of the account is stopped. */
  readonly isNearStop: boolean;
}

/** What one slug resolves to: a connection, or an error. */
export type ResolvedSlug =
  | { readonly slug: string; readonly target: PostTarget }
  | { readonly slug: string; readonly error: ItemError };

const TARGET = columns(
  'connections',
  ['id', 'slug', 'platform_id', 'profile_id', 'platform_account_id', 'handle', 'limits', 'credentials'],
  'c',
);

// Every request that creates a post runs this statement. Real platforms for a test key, and other profiles for a scoped
// key, count as unknown.
const findTargets = statement('find the connections that slugs name', {
  parameters: { accountId: 'uuid', slugs: 'text[]', profileId: 'uuid?', onlyPlatform: 'text?' },
  result: { ...TARGET.types, ...PLAN_TERMS.types, is_near_stop: 'boolean' },
  sql: ({ accountId, slugs, profileId, onlyPlatform }) => `
    select ${TARGET.sql}, ${PLAN_TERMS.sql},
      exists (select 1 from stops s where s.account_id = c.account_id and s.released_at is null) as is_near_stop
    from connections c join accounts a on a.id = c.account_id
    where c.account_id = ${accountId} and c.slug = any(${slugs}) and c.deleted_at is null
      and (${profileId} is null or c.profile_id = ${profileId})
      and (${onlyPlatform} is null or c.platform_id = ${onlyPlatform})`,
});

type TargetRow = RowOf<typeof findTargets>;

/** What a request asks for. */
interface Lookup {
  readonly accountId: string;
  readonly slugs: readonly string[];
  readonly profileId: string | null;
  readonly onlyPlatform: string | null;
}

/** Finds the connections of requests that arrive together and reach the same ones with one statement. */
export interface TargetLookups {
  /** Rows for these slugs, and for those of other requests. */
  add(lookup: Lookup): Promise<readonly TargetRow[]>;
}

export interface WithTargetLookups {
  readonly targetLookups: TargetLookups;
}

/** Most requests in one statement. */
const TOGETHER_MAX = 50;

export function createTargetLookups(context: Context): TargetLookups {
  return createGroupedBatcher<Lookup, readonly TargetRow[]>(
    ({ accountId, profileId, onlyPlatform }) => `${accountId} ${profileId ?? ''} ${onlyPlatform ?? ''}`,
    async (lookups) => {
      const [first] = lookups;
      if (first === undefined) return [];
      const slugs = [...new Set(lookups.flatMap((lookup) => lookup.slugs))];
      const rows = await findTargets(context.db.queries, { ...first, slugs });
      return lookups.map(() => rows);
    },
    TOGETHER_MAX,
  );
}

/**
 * @param profileId the profile that every slug must belong to; undefined means the key's own profile. For an unscoped
 *   key, undefined means the caller's own connections first, otherwise the one profile that has the slug
 */
export async function resolveSlugs(
  context: Context & WithTargetLookups,
  caller: Caller,
  slugs: readonly string[],
  profileId: string | undefined,
): Promise<ResolvedSlug[]> {
  const wanted = profileId ?? caller.profileId;
  if (caller.profileId !== null && wanted !== caller.profileId) {
    return slugs.map((slug) => noConnection(slug, `in profile ${wanted}`));
  }
  const onlyPlatform = caller.mode === 'test' ? TEST_PLATFORM : null;
  // Invalid slugs are not queried: they may contain a NUL, which the database would report as an internal error.
  const possible = slugs.filter((slug) => SLUG_PATTERN.test(slug));
  const { accountId } = caller;
  const rows = await context.targetLookups.add({ accountId, slugs: possible, profileId: wanted, onlyPlatform });
  return slugs.map((slug) =>
    pick(
      context,
      slug,
      rows.filter((row) => row.slug === slug),
      wanted,
    ),
  );
}

function pick(context: Context, slug: string, rows: readonly TargetRow[], profileId: string | null): ResolvedSlug {
  const own = profileId === null ? rows.find((row) => row.profile_id === null) : undefined;
  const row = own ?? rows[0];
  if (row === undefined) {
    return noConnection(slug, profileId === null ? 'of yours' : `in profile ${profileId}`);
  }
  if (own === undefined && rows.length > 1) {
    return unmatched(
      slug,
      `${rows.length} profiles have a connection with the slug "${slug}". Name one of them with profileId.`,
    );
  }
  const { id, platform_id: platformId, profile_id, limits, is_near_stop: isNearStop } = row;
  const terms = planTerms(context, row);
  return {
    slug,
    target: { ...connectionCredential(id, row), slug, platformId, profileId: profile_id, limits, terms, isNearStop },
  };
}

function noConnection(slug: string, whose: string): ResolvedSlug {
  return unmatched(slug, `No connection ${whose} has the slug "${slug}". GET /connections lists them.`);
}

function unmatched(slug: string, message: string): ResolvedSlug {
  return { slug, error: { code: 'invalid_connection', message } };
}
