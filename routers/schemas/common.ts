/** Shapes that many operations share. */
import { z } from 'zod';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Text input without a specific schema: at most `max` UTF-16 code units, storable. Every string input uses this,
 * {@link storableText}, or one of the formats below; tests/security checks it.
 */
export function textInput(max: number) {
  return storableText(z.string().max(max));
}

/** A UUID input: refused with a short message when malformed, and lowercased as ids are stored. */
export function uuidInput(description: string) {
  return z
    .string()
    .refine(isUuid, { message: 'a UUID', abort: true })
    .toLowerCase()
    .meta({ format: 'uuid', description });
}

/** Longest instant with an offset that is accepted: nine digits of a second and some room. */
const INSTANT_MAX = 64;

/** A UUID output. */
export function uuidOutput(description: string) {
  return z.string().meta({ format: 'uuid', description });
}

/** An instant input: ISO 8601 with an offset. */
export function instantInput(description: string) {
  const isInstant = (text: string) =>
    text.length <= INSTANT_MAX && z.iso.datetime({ offset: true }).safeParse(text).success;
  return z
    .string()
    .refine(isInstant, 'an instant such as 2026-11-21T09:00:00Z')
    .meta({ format: 'date-time', description });
}

/** The form of a date-time: ISO 8601, with a UTC offset or, beside a time zone, without. */
const DATE_TIME = String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?$`;

/**
 * An instant or a wall time as input. The service validates it, because the rules depend on the time zone beside it.
 */
export function dateTimeInput(description: string) {
  return textInput(INSTANT_MAX).meta({ pattern: DATE_TIME, description });
}

/** A calendar day as input. */
export function dayInput(description: string) {
  const isDay = (text: string) => z.iso.date().safeParse(text).success;
  return z.string().refine(isDay, 'a day such as 2026-11-21').meta({ format: 'date', description });
}

/** An instant output: ISO 8601 in UTC with milliseconds. */
export function timestampOutput(description: string) {
  return z.string().meta({ format: 'date-time', description });
}

/** An instant, or a day in UTC, as input. */
export function momentInput(description: string) {
  const isMoment = (text: string) =>
    text.length <= INSTANT_MAX && z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(text).success;
  return z
    .string()
    .refine(isMoment, 'a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z')
    .meta({ description });
}

/** An optional field that may also be null, as answers show it; null counts as left out. */
export function optionalOrNull<Schema extends z.ZodType>(schema: Schema) {
  const field = schema.nullish().transform((value) => value ?? undefined);
  return schema.description === undefined ? field : field.describe(schema.description);
}

/** What {@link storableText} requires, for its error message. */
const STORABLE = 'text without NUL and without broken surrogate pairs';

/** Whether a text can be stored and sent: it contains no NUL and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Text that can be stored and sent. The given schema sets its maximum length. */
export function storableText(schema: z.ZodString) {
  return schema.refine(isStorable, STORABLE);
}

/** Longest text inside {@link storableRecord}: tokens of platforms have some thousand characters. */
const RECORD_TEXT_MAX = 10_000;

/**
 * An object whose fields other code validates, such as an adapter. Checks that each text in it, including names, can be
 * stored.
 */
export function storableRecord() {
  return z.record(z.string(), z.unknown()).superRefine((record, issue) => {
    const path = unstorablePath(record);
    if (path === null) return;
    issue.addIssue({ code: 'custom', path, message: `at most ${RECORD_TEXT_MAX} characters of ${STORABLE}` });
  });
}

/** Path of the first text that cannot be stored; null when all can. Not recursive, because callers choose the depth. */
function unstorablePath(record: object): string[] | null {
  const waiting: { value: unknown; path: string[] }[] = [{ value: record, path: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !isShortAndStorable(value)) return path;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, field] of Object.entries(value)) {
      if (!isShortAndStorable(name)) return path;
      // Stored data is never nested deeper; the adapter refuses such a field by its name.
      if (path.length < 3) waiting.push({ value: field, path: [...path, name] });
    }
  }
  return null;
}

function isShortAndStorable(text: string): boolean {
  return text.length <= RECORD_TEXT_MAX && isStorable(text);
}

/** Longest time zone name that is accepted; the longest existing one has 32 characters. */
const TIME_ZONE_MAX = 100;

/** A time zone name as input; the service checks that the zone exists. */
export function timeZoneInput() {
  return textInput(TIME_ZONE_MAX);
}

/** Longest slug that is read at all; valid slugs are shorter. */
export const SLUG_READ_MAX = 200;

/** A slug to post to. The service checks its form, so that an invalid slug gets the same answer as an unknown one. */
export function slugInput() {
  return z.string().min(1).max(SLUG_READ_MAX);
}

/** `limit` and `offset` of a list. */
export const pagination = {
  limit: z.int().min(1).max(100).default(25).describe('How many items to give, 1 to 100. Default 25.'),
  offset: z.int().min(0).max(1_000_000_000).default(0).describe('How many items to skip, from 0. Default 0.'),
};

/** `limit` of a list that returns everything when it is left out. */
export const wholeUnlessLimited = {
  limit: z.int().min(1).max(100).optional().describe('How many items to give, 1 to 100. Left out, all.'),
  cursor: cursorInput(),
};

/**
 * `limit` and `cursor` of a list that is read page by page.
 *
 * @param what it lists, such as `feeds`
 */
export function pageInput(what: string, usual = 25) {
  return {
    limit: z.int().min(1).max(100).default(usual).describe(`How many ${what} to give, 1 to 100. Default ${usual}.`),
    cursor: cursorInput(),
  };
}

/** `limit` and `nextCursor` of its answer. */
export function pageOutput() {
  return { limit: z.int().describe('The limit that was used.'), nextCursor: nextCursorOutput() };
}

/** `cursor` of a list: the nextCursor of the previous page. A cursor is the id of the last item of a page. */
export function cursorInput() {
  return uuidInput('The nextCursor of the page before: the list goes on after it.').optional();
}

/** `nextCursor` of a list. */
export function nextCursorOutput() {
  return z.string().nullable().describe('What to send as cursor for the next page; null on the last page.');
}

/** A stored or per-connection error. */
export const ItemError = z
  .strictObject({
    code: z.string().describe('One of the error codes listed at /docs/errors.'),
    message: z.string().describe('What happened, in a sentence.'),
  })
  .meta({ id: 'ItemError', description: 'Why a post failed on one connection.' });
