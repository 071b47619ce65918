/** Compares the HTML of a status with the text that was sent. Pure. */
import { comparableText } from '../match-post.ts';

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

/** Extracts the text of a status from its HTML. The patterns read each character once, so that no text of a server takes long. */
export function plainText(html: string): string {
  return html
    .replace(/<br\s*\/?>|<\/p>\s*<p[^<>]*>/giu, '\n')
    .replace(/<[^<>]*>/gu, '')
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/giu, decode);
}

/**
 * Whether two texts are equal, apart from white space, the composition of accents, and the servers of mentioned
 * accounts, which statuses do not show.
 */
export function sameText(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

/** `@user@host`: a status shows only the `@user`. */
const REMOTE_MENTION = /(@[\w.-]*\w)@[\w-]+(?:\.[\w-]+)*(?::\d+)?/gu;

function comparable(text: string): string {
  return comparableText(text.replace(REMOTE_MENTION, '$1'));
}

function decode(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? entity;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
