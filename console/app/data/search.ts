/** Reads and writes search parameters of an address: what does not fit is left out, so that a mistyped link still opens its view. */

type Search = Readonly<Record<string, unknown>>;

/** `?tag=a&tag=b&status=sent` as `{ tag: ['a', 'b'], status: 'sent' }`. All values are texts. */
export function parseSearch(query: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(query);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const [first = '', ...others] = parameters.getAll(name);
    return [name, others.length === 0 ? first : [first, ...others]] as const;
  });
  return Object.fromEntries(entries);
}

/** The opposite of {@link parseSearch}; undefined values are left out. */
export function stringifySearch(search: Search): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item): item is string => typeof item === 'string')
      .map((item) => [name, item]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** A text; undefined when absent or empty. */
export function textIn(search: Search, name: string): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** One of the given values. */
export function oneOfIn<Value extends string>(
  search: Search,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === search[name]);
}

/** Several texts. */
export function textsIn(search: Search, name: string): string[] | undefined {
  const value = search[name];
  const texts = (Array.isArray(value) ? value : [value]).filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return texts.length > 0 ? texts : undefined;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A day, such as 2026-11-21. */
export function dayIn(search: Search, name: string): string | undefined {
  const text = textIn(search, name);
  return text !== undefined && DAY.test(text) && !Number.isNaN(startOfDay(text, 0).getTime()) ? text : undefined;
}

/** The API takes no later instant: years of five digits have no ISO 8601 form that everyone reads. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Midnight on the clock of the browser, at the beginning of a day or of one so many days later; at most the last instant
 * that the API takes.
 */
export function startOfDay(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(Math.min(new Date(year, month - 1, date + later).getTime(), LAST_INSTANT));
}

/** Leaves out undefined fields, for types whose fields may be absent but not undefined. */
export function present<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Leaves out undefined fields, empty texts and empty lists, so that an address names only what is filtered by. */
export function withoutEmpty<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as never;
}
