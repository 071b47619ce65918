/** Slugs: the names of connections in requests to post (docs/contract/connections.md#slugs). */

/** Maximum length of a derived slug; callers have the same limit. */
export const SLUG_MAX = 80;

/** Lowercase letters, digits and dashes, starting and ending with a letter or digit. */
export const SLUG_PATTERN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Derives a slug such as `bluesky-alice-example` from platform and handle. */
export function deriveSlug(platformId: string, handle: string): string {
  const words = handle
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const slug = handle === platformId || words === '' ? platformId : `${platformId}-${words}`;
  return slug.slice(0, SLUG_MAX - 4).replace(/-+$/, '');
}

/** The first of `slug`, `slug-2`, `slug-3`, … that is free. */
export function firstFreeSlug(slug: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
