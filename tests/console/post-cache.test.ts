/** How the console keeps endless lists of posts true without reading all of their pages again. */
import { describe, expect, it } from 'vitest';
import { withNewest } from '../../console/app/data/live/post-cache.ts';

type List = Parameters<typeof withNewest>[0];
type Page = Parameters<typeof withNewest>[1];

/** A page of posts with these ids, newest first. */
function page(ids: string, nextCursor: string | null): Page {
  const posts = [...ids].map((id) => ({ id, text: `old ${id}` }));
  return { posts, nextCursor, limit: 3, offset: 0 } as unknown as Page;
}

const list = (...pages: Page[]): List => ({ pages, pageParams: pages.map(() => null) });

const idsOf = ({ pages }: List) => pages.map(({ posts }) => posts.map(({ id }) => id).join(''));

describe('the newest page of a list', () => {
  it('comes on top of those that are loaded, without listing a post twice', () => {
    const loaded = list(page('fed', 'd'), page('cba', null));

    expect(idsOf(withNewest(loaded, page('hgf', 'f')))).toEqual(['hgfed', 'cba']);
  });

  it('brings its posts as they are now', () => {
    const newest = page('fed', 'd');
    const fresh = { ...newest, posts: newest.posts.map((post) => ({ ...post, text: 'new' })) };

    const { pages } = withNewest(list(page('fed', 'd'), page('cba', null)), fresh);

    expect(pages[0]?.posts.map(({ text }) => text)).toEqual(['new', 'new', 'new']);
  });

  it('drops posts that no longer belong to the list', () => {
    const loaded = list(page('fed', 'd'), page('cba', null));

    expect(idsOf(withNewest(loaded, page('fdc', 'c')))).toEqual(['fdc', 'ba']);
  });

  it('is the whole list when nothing follows it', () => {
    expect(idsOf(withNewest(list(page('fed', 'd'), page('cba', null)), page('fe', null)))).toEqual(['fe']);
  });

  it('is followed by what comes after it, also when it reaches further than what was loaded', () => {
    // Posts e and d of the loaded page were cancelled, so that c and b moved up.
    const begun = withNewest(list(page('fed', 'd')), page('fcb', 'b'));

    expect([idsOf(begun), begun.pages.at(-1)?.nextCursor]).toEqual([['fcb'], 'b']);
  });

  it('begins the list anew when posts between it and the loaded ones may be missing', () => {
    const begun = withNewest(list(page('cb', 'b'), page('a', null)), page('hgf', 'f'));

    expect([idsOf(begun), begun.pages.at(-1)?.nextCursor, begun.pageParams]).toEqual([['hgf'], 'f', [null]]);
  });
});
