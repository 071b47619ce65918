/** The platform that lists name beside a post is that of the connection itself. */
import { expect, it, vi } from 'vitest';

vi.stubGlobal('window', { addEventListener: () => undefined });
const { platformsByTarget } = await import('../../../console/app/data/connections.ts');
vi.unstubAllGlobals();

it('tells apart connections of several profiles that have the same slug', () => {
  const platformOf = platformsByTarget([
    { slug: 'news', profileId: 'first', platformId: 'mastodon' },
    { slug: 'news', profileId: null, platformId: 'bluesky' },
    { slug: 'news', profileId: 'second', platformId: 'x' },
  ]);

  const named = ['first', null, 'second', 'gone'].map((profileId) => platformOf({ connectionSlug: 'news', profileId }));

  expect(named).toEqual(['mastodon', 'bluesky', 'x', undefined]);
});
