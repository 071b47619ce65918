/** Sanitizes values that a platform sent. Pure; returns null for a value that cannot be sanitized. */

/** Maximum characters (code points) of a name, handle or message (docs/contract/platforms.md#what-platforms-send). */
export const LINE_MAX = 255;

/** Maximum characters of a stored permalink. */
export const PERMALINK_MAX = 2_048;

/** Maximum characters of a post's id on its platform. */
export const POST_ID_MAX = 512;

/** Maximum characters of an account's id on its platform: the size of its column. */
export const ACCOUNT_ID_MAX = 255;

/** Maximum characters, as JSON, of data that an adapter stores for its later calls. */
export const DATA_MAX = 65_536;

/** Tabs and all line breaks. */
const BREAKS = /[\t-\r\u0085\u2028\u2029]+/gu;

/**
 * Invisible characters and characters that change how others are shown: controls, bidi controls, zero-width
 * characters (also the joiners of emoji), variation selectors, tags and other fillers, and unpaired surrogates.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Text on one line, without invisible characters. */
export function visibleText(text: string): string {
  return text.replace(BREAKS, ' ').replace(INVISIBLE, '').trim();
}

/** The first `max` code points of a text. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point has at most two UTF-16 units, so longer text need not be split.
  return Array.from(text.slice(0, max * 2))
    .slice(0, max)
    .join('');
}

/** Truncates a text to at most `max` code points; the last is `…` when it was truncated. */
export function shortened(text: string, max: number = LINE_MAX): string {
  const cut = cutText(text, max);
  return cut === text ? text : `${cutText(cut, max - 1)}…`;
}

/** A display name: one visible line of at most {@link LINE_MAX} characters; empty when nothing remains. */
export function untrustedName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return cutText(visibleText(cutText(name, LINE_MAX * 16)), LINE_MAX).trim();
}

/** A web URL: http or https, without user name and password, at most {@link PERMALINK_MAX} characters. */
export function untrustedUrl(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > PERMALINK_MAX) return null;
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username !== '' || url.password !== '' || url.href.length > PERMALINK_MAX) return null;
  return url.href;
}

/** An id, unchanged, because another spelling is another id; null when it is empty, too long or not visible. */
export function untrustedId(id: unknown, max: number): string | null {
  if (typeof id !== 'string' || id === '' || id.length > max) return null;
  return visibleText(id) === id ? id : null;
}

/** A running total: an integer from 0 that JavaScript represents exactly; undefined for any other value. */
export function untrustedCount(count: unknown): number | undefined {
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

/** Whether data can be stored as JSON in the database: within the size limit, without NUL and unpaired surrogates. */
export function isStorable(data: unknown, max: number = DATA_MAX): boolean {
  const json = JSON.stringify(data);
  // JSON.stringify writes NUL and unpaired surrogates as escapes.
  return json === undefined || (json.length <= max && !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json));
}
