/** How often endless lists are read again, so that the requests that the service allows suffice: each read is one of every page. */

/** Most pages of an endless list that are read again at once: a third of the requests that the service allows in a minute. */
export const PAGES_MAX = 20;

/** @returns milliseconds between two reads of a list, given those for one page; false if it has too many pages for one read */
export function pollPagesMs(onePageMs: number, pages: number): number | false {
  return pages > PAGES_MAX ? false : onePageMs * Math.max(pages, 1);
}
