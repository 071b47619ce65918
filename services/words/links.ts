/** Finds links in a text. Pure. */
import { findLinks } from '../../platforms/x/links.ts';

/** Full URLs of any scheme, wherever they end; {@link findLinks} also finds bare ones. */
const ADDRESS = /(?<![a-z0-9])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}]/giu;

/** Full URLs of any scheme. */
export function addressesIn(text: string): string[] {
  return text.match(ADDRESS) ?? [];
}

/** Links as X finds them, with http(s) or bare. */
export function domainLinksIn(text: string): string[] {
  return findLinks(text).map(({ start, end }) => text.slice(start, end));
}
