/** Formats instants for people, in the browser's time zone. */
import { el } from './dom.ts';

/** The browser's IANA time zone. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function inWords(instant: string): string {
  return format.format(new Date(instant));
}

/** A `time` element with a readable text and the exact instant. */
export function timeElement(instant: string): HTMLElement {
  return el('time', { datetime: instant, title: instant }, inWords(instant));
}

/** Formats the milliseconds between two instants. */
export function duration(from: string, to: string): string {
  const ms = new Date(to).getTime() - new Date(from).getTime();
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
