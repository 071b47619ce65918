/**
 * Formats an instant for people: in UTC, to the minute, because pages without scripts do not know the reader's
 * time zone.
 */
import { type Html, html } from '../html.ts';

export function timeView(instant: Date): Html {
  const text = instant.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
