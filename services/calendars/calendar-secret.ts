/** The secret of a calendar, and the address that contains it (docs/contract/calendars.md#addresses). */
import type { Random } from '../clock.ts';
import type { Context } from '../context.ts';

/** Prefix of every secret. Logs leave out what follows it. */
const SECRET_PREFIX = 'cal_';

/** Where calendars are served, outside of the API: calendar applications cannot send a key. */
export const CALENDARS_PATH = '/calendars';

const FILE_NAME = /^(cal_[\w-]{43})\.ics$/;

/** `cal_` and 43 characters, 256 bits. */
export function newCalendarSecret(random: Pick<Random, 'bytes'>): string {
  return SECRET_PREFIX + random.bytes(32).toString('base64url');
}

export function calendarUrl({ config }: Pick<Context, 'config'>, secret: string): string {
  return `${config.publicUrl}${CALENDARS_PATH}/${secret}.ics`;
}

/** The secret in the last part of an address; null for a name that is none. */
export function secretInFileName(fileName: string): string | null {
  return FILE_NAME.exec(fileName)?.[1] ?? null;
}
