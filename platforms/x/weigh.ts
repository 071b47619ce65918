/** Length of a text as X counts it: characters of some scripts weigh two, an emoji two, a link always the same. Pure. */
import { findLinks } from './links.ts';

/** What every link weighs, however long it is: X replaces it by one of its own. */
const LINK_WEIGHT = 23;

/** What an emoji weighs, of however many code points it is made. */
const EMOJI_WEIGHT = 2;

/** Code points that weigh one, as first and last of each range; all others weigh two. */
const LIGHT = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

/** An emoji as people see it, or else one code point. */
const SIGN = /\p{RGI_Emoji}|[#*0-9]\u{fe0f}?\u{20e3}|[^]/gv;

/**
 * Weight of a text.
 *
 * @see https://docs.x.com/resources/fundamentals/counting-characters
 */
export function weighText(text: string): number {
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
  // Printable ASCII, of which most posts consist, weighs one each.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length;
  let weight = 0;
  for (const [sign] of text.matchAll(SIGN)) {
    const codePoint = sign.codePointAt(0) ?? 0;
    const isOne = sign.length === (codePoint > 0xffff ? 2 : 1);
    weight += isOne ? weighCodePoint(codePoint) : EMOJI_WEIGHT;
  }
  return weight;
}

function weighCodePoint(codePoint: number): number {
  return LIGHT.some(([first, last]) => codePoint >= first && codePoint <= last) ? 1 : 2;
}
