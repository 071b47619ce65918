/**
 * The cursor of a list by time: the time and the id of the last post of a page. It keeps its place when that post moves.
 * Pure.
 */

/** Longest cursor that is read: an instant and an id have 61 characters. */
export const TIME_CURSOR_MAX = 100;

/** A place between two posts in the order of their times. */
export interface TimePosition {
  readonly at: Date;
  /** Id of the last post before the place, among those at this time. */
  readonly id: string;
}

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** @param at ISO 8601 in UTC with milliseconds */
export function timeCursor({ at, id }: { readonly at: string; readonly id: string }): string {
  return `${at}_${id}`;
}

/** Null for a text that is no such cursor. */
export function readTimeCursor(text: string): TimePosition | null {
  const [, time = '', id = ''] = FORM.exec(text) ?? [];
  const at = new Date(time);
  // 30 February has the form of a day too. No post is from before 1970, and the database has no year 0.
  return at.getTime() >= 0 && at.toISOString() === time ? { at, id } : null;
}
