/** The tables as files for spreadsheets, made from the answer that the view shows. */
import { METRICS, type Metrics } from './metrics.ts';
import type { Analytics } from './search.ts';

type Cell = string | number | null;

export interface CsvFile {
  /** What it holds, such as "days". */
  readonly what: string;
  readonly text: string;
}

/** A file for each table that the view shows. */
export function csvFiles({ days, byPlatform, byTag = [], bestTimes }: Analytics): CsvFile[] {
  const metricsOf = (row: Metrics) => METRICS.map((name) => row[name]);
  const table = (what: string, head: string, rows: readonly (readonly Cell[])[]) => ({
    what,
    text: csvOf([head, ...METRICS], rows),
  });
  return [
    table(
      'days',
      'day',
      days.map((row) => [row.day, ...metricsOf(row)]),
    ),
    table(
      'platforms',
      'platform',
      byPlatform.map((row) => [row.platformId, ...metricsOf(row)]),
    ),
    table(
      'tags',
      'tag',
      byTag.map((row) => [row.tag, ...metricsOf(row)]),
    ),
    {
      what: 'times',
      text: csvOf(
        ['weekday', 'hour', 'timezone', 'posts', 'medianReactions'],
        (bestTimes?.hours ?? []).map(({ weekday, hour, posts, medianReactions }) => [
          weekday,
          hour,
          bestTimes?.timezone ?? '',
          posts,
          medianReactions,
        ]),
      ),
    },
  ];
}

/** As RFC 4180 says. What was not reported is an empty cell, which is not zero. */
function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  // Spreadsheets run a text that begins like a formula. The apostrophe makes it a text, and they do not show it.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
