/** Instants as people read them, in the browser's own zone. */
import { el } from './dom.ts';

/** The browser's IANA zone. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function inWords(instant: string): string {
  return format.format(new Date(instant));
}

/** A `time` element with the exact instant behind the words. */
export function timeElement(instant: string): HTMLElement {
  return el('time', { datetime: instant, title: instant }, inWords(instant));
}

/** Milliseconds between two instants, as words. */
export function duration(from: string, to: string): string {
  const ms = new Date(to).getTime() - new Date(from).getTime();
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
