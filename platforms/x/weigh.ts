/** Weighted length of a text on X: some scripts weigh two per character, an emoji two, a link a constant. Pure. */
import type { TextUnit } from '../content-facts.ts';
import { findLinks } from './links.ts';

/** Weight of any link, because X replaces each link by a short one. */
const LINK_WEIGHT = 23;

/** Weight of an emoji with any number of code points. */
const EMOJI_WEIGHT = 2;

/** Ranges (first and last) of code points that weigh one; all others weigh two. */
const LIGHT = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

/**
 * Computes the weight of a text.
 *
 * @see https://docs.x.com/resources/fundamentals/counting-characters
 */
function weighText(text: string): number {
  const normal = text.normalize();
  let weight = 0;
  let at = 0;
  for (const link of findLinks(normal)) {
    weight += weighSigns(normal.slice(at, link.start)) + LINK_WEIGHT;
    at = link.end;
  }
  return weight + weighSigns(normal.slice(at));
}

function weighSigns(text: string): number {
  // Printable ASCII characters, which make up most posts, weigh one each.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length;
  let weight = 0;
  // An emoji as one unit, or else one code point. Within the function: the expression takes 22 ms, which no start has to wait for.
  for (const [sign] of text.matchAll(/\p{RGI_Emoji}|[#*0-9]\u{fe0f}?\u{20e3}|[^]/gv)) {
    const codePoint = sign.codePointAt(0) ?? 0;
    const isOne = sign.length === (codePoint > 0xffff ? 2 : 1);
    weight += isOne ? weighCodePoint(codePoint) : EMOJI_WEIGHT;
  }
  return weight;
}

function weighCodePoint(codePoint: number): number {
  return LIGHT.some(([first, last]) => codePoint >= first && codePoint <= last) ? 1 : 2;
}

/** X's weights of characters and links. */
export const WEIGHTED: TextUnit = { name: 'weighted', plural: 'weighted characters', count: weighText };
