/**
 * Finds the connections that slugs name, among those that the caller reaches
 * (docs/contract/profiles-and-keys.md#scoped-keys, docs/contract/connections.md#slugs-without-a-profile).
 */
import { query } from '../../entities/query.ts';
import { WANTED_BY_CONNECTION } from '../polish/rewrite-wanted.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { ConnectionLimits } from '../../platforms/contract.ts';
import type { PartError } from '../posts/send-part.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { PLAN_TERMS, type PlanTerms, planTerms, type PlanTermsRow } from '../plans/plan-terms.ts';
import { type ConnectionLogin, connectionLogin, type LoginRow } from './connection-login.ts';
import { SLUG_PATTERN } from './slug.ts';

/** A connection that can receive a post. */
export interface PostTarget extends ConnectionLogin {
  readonly slug: string;
  readonly platformId: string;
  readonly profileId: string | null;
  readonly limits: ConnectionLimits | null;
  /** The plan terms of the account. */
  readonly terms: PlanTerms;
  /** Whether an AI rewrite is requested when the post does not say. */
  readonly wantsRewrite: boolean;
}

/** What one slug resolves to: a connection, or an error. */
export type ResolvedSlug =
  | { readonly slug: string; readonly target: PostTarget }
  | { readonly slug: string; readonly error: PartError };

interface TargetRow extends LoginRow, PlanTermsRow {
  id: string;
  slug: string;
  platform_id: string;
  profile_id: string | null;
  limits: ConnectionLimits | null;
  wants_rewrite: boolean;
}

// Real platforms for a test key, and other profiles for a scoped key, count as unknown.
const FIND = `
  select c.id, c.slug, c.platform_id, c.profile_id, c.platform_account_id, c.handle, c.limits, c.credentials, ${PLAN_TERMS},
    ${WANTED_BY_CONNECTION} as wants_rewrite
  from connections c join accounts a on a.id = c.account_id
  where c.account_id = $1 and c.slug = any($2::text[]) and c.deleted_at is null
    and ($3::uuid is null or c.profile_id = $3) and ($4::text is null or c.platform_id = $4)`;

/**
 * @param profileId the profile that every slug must belong to; undefined means the key's own profile. For an unscoped
 *   key, undefined means the caller's own connections first, otherwise the one profile that has the slug
 */
export async function resolveSlugs(
  context: Context,
  caller: Caller,
  slugs: readonly string[],
  profileId: string | undefined,
): Promise<ResolvedSlug[]> {
  const wanted = profileId ?? caller.profileId;
  if (caller.profileId !== null && wanted !== caller.profileId) {
    return slugs.map((slug) => unmatched(slug, `is not in profile ${wanted}`));
  }
  const onlyPlatform = caller.mode === 'test' ? TEST_PLATFORM : null;
  // Invalid slugs are not queried: they may contain a NUL, which the database would report as an internal error.
  const possible = slugs.filter((slug) => SLUG_PATTERN.test(slug));
  const rows = await query<TargetRow>(context.db.em(), FIND, [caller.accountId, possible, wanted, onlyPlatform]);
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
    return unmatched(slug, profileId === null ? 'is none of your connections' : `is not in profile ${profileId}`);
  }
  if (own === undefined && rows.length > 1) {
    return unmatched(slug, `exists in ${rows.length} profiles; say which with profileId`);
  }
  const { id, platform_id: platformId, profile_id, limits, wants_rewrite: wantsRewrite } = row;
  const terms = planTerms(context, row);
  return {
    slug,
    target: { ...connectionLogin(id, row), slug, platformId, profileId: profile_id, limits, terms, wantsRewrite },
  };
}

function unmatched(slug: string, why: string): ResolvedSlug {
  return { slug, error: { code: 'invalid_connection', message: `The slug "${slug}" ${why}.` } };
}
