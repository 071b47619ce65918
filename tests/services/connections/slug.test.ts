/** Slugs that are derived from platform and handle. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSlug, firstFreeSlug, SLUG_MAX, SLUG_PATTERN } from '../../../services/connections/slug.ts';

describe('a derived slug', () => {
  it.each([
    ['bluesky', 'alice.example.com', 'bluesky-alice-example-com'],
    ['bluesky', 'Alice.Example.COM', 'bluesky-alice-example-com'],
    ['mastodon', '@alice@mastodon.social', 'mastodon-alice-mastodon-social'],
    ['mastodon', 'Zoë Ångström', 'mastodon-zoe-angstrom'],
    ['discord', '#général!!', 'discord-general'],
    ['telegram', '日本語', 'telegram'],
    ['telegram', '---', 'telegram'],
    ['telegram', '', 'telegram'],
    ['sandbox', 'sandbox', 'sandbox'],
    ['slack', `${'a'.repeat(69)}.b`, `slack-${'a'.repeat(69)}`],
  ])('of %s and %j is %s', (platformId, handle, slug) => {
    expect(deriveSlug(platformId, handle)).toBe(slug);
  });

  it('is a valid slug with room for a number suffix, for any handle', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (handle) => {
        const slug = deriveSlug('bluesky', handle);

        expect(slug).toMatch(SLUG_PATTERN);
        expect(`${slug}-999`.length).toBeLessThanOrEqual(SLUG_MAX);
      }),
      { seed: 1 },
    );
  });
});

describe('a slug that is in use', () => {
  it.each([
    [[], 'news'],
    [['news'], 'news-2'],
    [['news', 'news-2', 'news-4'], 'news-3'],
    [['news-2'], 'news'],
    [['news', 'newspaper'], 'news-2'],
  ])('with %j in use, the next is %s', (taken, slug) => {
    expect(firstFreeSlug('news', new Set(taken))).toBe(slug);
  });
});
