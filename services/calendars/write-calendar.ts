/**
 * Writes a calendar as text (RFC 5545): lines end in CRLF and are folded at 75 octets, text is escaped, and instants are
 * in UTC. Why not a library: docs/decisions/0096-write-calendars-with-our-own-code.md. Pure.
 */

export interface CalendarEvent {
  /** Stays the same as long as the event exists. */
  readonly uid: string;
  readonly start: Date;
  readonly end: Date;
  /** When what the event says was changed last. */
  readonly changedAt: Date;
  readonly title: string;
  readonly description: string;
  readonly status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
  readonly categories: readonly string[];
  /** An http(s) address. */
  readonly url: string | null;
}

export interface CalendarFile {
  readonly name: string;
  readonly events: readonly CalendarEvent[];
}

/** How often calendar applications should read the file again. */
const REFRESH = 'PT15M';

/** RFC 5545 section 3.1: octets of a line, without its end. */
const LINE_MAX_OCTETS = 75;

export function writeCalendar({ name, events }: CalendarFile): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Carillon//Calendar//EN',
    'CALSCALE:GREGORIAN',
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events.flatMap(eventLines),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventLines(event: CalendarEvent): string[] {
  const { uid, start, end, changedAt, title, description, status, categories, url } = event;
  return [
    'BEGIN:VEVENT',
    `UID:${escaped(uid)}`,
    // Without METHOD, both say when the event was changed (RFC 5545 section 3.8.7.2).
    `DTSTAMP:${utc(changedAt)}`,
    `LAST-MODIFIED:${utc(changedAt)}`,
    `DTSTART:${utc(start)}`,
    `DTEND:${utc(end)}`,
    `SUMMARY:${escaped(title)}`,
    `DESCRIPTION:${escaped(description)}`,
    `STATUS:${status}`,
    'TRANSP:TRANSPARENT',
    ...(categories.length === 0 ? [] : [`CATEGORIES:${categories.map(escaped).join(',')}`]),
    ...uriLine(url),
    'END:VEVENT',
  ];
}

/** An address is not escaped, so it is written in a form that has neither spaces nor line breaks. */
function uriLine(url: string | null): string[] {
  const parsed = url === null ? null : URL.parse(url);
  return parsed === null || !/^https?:$/.test(parsed.protocol) ? [] : [`URL:${parsed.href}`];
}

function utc(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** RFC 5545 section 3.3.11: line breaks become `\n`, and no other control character is allowed. */
function escaped(text: string): string {
  return text
    .replaceAll(/\r\n?|[\n\u0085\u2028\u2029]/g, '\n')
    .replaceAll(/(?!\n)\p{Cc}/gu, (control) => (control === '\t' ? control : ''))
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);
}

/** Breaks between characters, so that each line is valid UTF-8. The space that begins a line counts. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= LINE_MAX_OCTETS) return line;
  let text = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_MAX_OCTETS) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}
