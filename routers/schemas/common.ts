/** Shapes that many operations share. */
import { z } from 'zod';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A UUID to read: refused, with a short message, when malformed; its letters are made small, as ids are stored. */
export function uuidInput(description: string) {
  return z.string().toLowerCase().refine(isUuid, 'a UUID').meta({ format: 'uuid', description });
}

/** A UUID to write. */
export function uuidOutput(description: string) {
  return z.string().meta({ format: 'uuid', description });
}

/** An instant to read: ISO 8601 with an offset. */
export function instantInput(description: string) {
  const isInstant = (text: string) => z.iso.datetime({ offset: true }).safeParse(text).success;
  return z
    .string()
    .refine(isInstant, 'an instant such as 2026-11-21T09:00:00Z')
    .meta({ format: 'date-time', description });
}

/** A calendar day to read. */
export function dayInput(description: string) {
  const isDay = (text: string) => z.iso.date().safeParse(text).success;
  return z.string().refine(isDay, 'a day such as 2026-11-21').meta({ format: 'date', description });
}

/** An instant to write: ISO 8601 in UTC with milliseconds. */
export function timestampOutput(description: string) {
  return z.string().meta({ format: 'date-time', description });
}

/** An instant, or a day in UTC, to read. */
export function momentInput(description: string) {
  const isMoment = (text: string) => z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(text).success;
  return z
    .string()
    .refine(isMoment, 'a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z')
    .meta({ description });
}

/** An optional field that may also be null, as answers show it: then it counts as left out. */
export function optionalOrNull<Schema extends z.ZodType>(schema: Schema) {
  const field = schema.nullish().transform((value) => value ?? undefined);
  return schema.description === undefined ? field : field.describe(schema.description);
}

/** Text that can be stored and sent: no NUL, no half of a surrogate pair. */
export function storableText(schema: z.ZodString) {
  return schema.refine(
    (text) => text.isWellFormed() && !text.includes('\u0000'),
    'text without NUL and without broken surrogate pairs',
  );
}

/** `limit` and `offset` of a list. */
export const pagination = {
  limit: z.int().min(1).max(100).default(25).describe('How many items to give, 1 to 100. Default 25.'),
  offset: z.int().min(0).max(1_000_000_000).default(0).describe('How many items to skip, from 0. Default 0.'),
};

/** `limit` of a list that gives everything when it is left out. */
export const wholeUnlessLimited = {
  limit: z.int().min(1).max(100).optional().describe('How many items to give, 1 to 100. Left out, all.'),
  cursor: cursorInput(),
};

/** `cursor` of a list: the nextCursor of the page before. Cursors are ids of the last item of a page. */
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
