/** Cleans values that a platform sent. Pure; what cannot be cleaned is null. */

/** Most characters (code points) of a name, handle or message (docs/contract/platforms.md#what-platforms-send). */
export const LINE_MAX = 255;

/** Most characters of a permalink, as it is stored. */
export const PERMALINK_MAX = 2_048;

/** Most characters of a post's id on its platform. */
export const POST_ID_MAX = 512;

/** Most characters of an account's id on its platform: the size of its column. */
export const ACCOUNT_ID_MAX = 255;

/** Most characters of data, as JSON, that an adapter keeps for its own later calls. */
export const DATA_MAX = 65_536;

/** Tabs and line breaks of every kind. */
const BREAKS = /[\t-\r\u0085\u2028\u2029]+/gu;

/**
 * Characters that show nothing or change how others show: controls, bidi controls, zero-width characters (joiners of
 * emoji too), variation selectors, tags and other fillers, and halves of surrogate pairs.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Text on one line, without characters that show nothing. */
export function visibleText(text: string): string {
  return text.replace(BREAKS, ' ').replace(INVISIBLE, '').trim();
}

/** The first `max` code points of a text. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point is at most two UTF-16 units, so that no more of a long text is split up.
  return Array.from(text.slice(0, max * 2))
    .slice(0, max)
    .join('');
}

/** A text of at most `max` code points, the last of which is `…` when it was cut. */
export function shortened(text: string, max: number = LINE_MAX): string {
  const cut = cutText(text, max);
  return cut === text ? text : `${cutText(cut, max - 1)}…`;
}

/** A name as people read it: one visible line of at most {@link LINE_MAX} characters; empty when nothing is left. */
export function untrustedName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return cutText(visibleText(cutText(name, LINE_MAX * 16)), LINE_MAX).trim();
}

/** An address of a web page: http or https, without user name and password, at most {@link PERMALINK_MAX} characters. */
export function untrustedUrl(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > PERMALINK_MAX) return null;
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username !== '' || url.password !== '' || url.href.length > PERMALINK_MAX) return null;
  return url.href;
}

/** An id as it came, because another spelling would be another id; null when it is empty, too long or not visible. */
export function untrustedId(id: unknown, max: number): string | null {
  if (typeof id !== 'string' || id === '' || id.length > max) return null;
  return visibleText(id) === id ? id : null;
}

/** A running total: a whole number from 0 that JavaScript holds exactly; undefined for any other value. */
export function untrustedCount(count: unknown): number | undefined {
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

/** Whether data can be stored as JSON in the database: within the size, without NUL and halves of surrogate pairs. */
export function isStorable(data: unknown, max: number = DATA_MAX): boolean {
  const json = JSON.stringify(data);
  // JSON.stringify writes NUL and halves of surrogate pairs as escapes.
  return json === undefined || (json.length <= max && !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json));
}
