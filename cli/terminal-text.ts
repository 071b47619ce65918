/** Text for a terminal: without control characters, in tables, in color where that is wanted. */
import type { Output } from './io.ts';

/** Control, format and bidirectional characters, which move the cursor, hide text or change what is read. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Characters that take two columns. */
const WIDE =
  /\p{Extended_Pictographic}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Text from outside in one line. */
export function plainLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(UNSAFE, '').trim();
}

/** Text from outside with its line breaks. */
export function plainText(text: string): string {
  return text
    .split(/\r\n?|\n/u)
    .map((line) => line.replaceAll('\t', ' ').replaceAll(UNSAFE, ''))
    .join('\n');
}

/**
 * A table with a heading. On a terminal its last column is shortened to the width.
 *
 * @param cells text from outside is made safe here
 */
export function table(output: Output, color: Paint, headings: readonly string[], cells: readonly string[][]): string {
  const rows = cells.map((row) => row.map(plainLine));
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...rows.map((row) => row[column] ?? '')].map(widthOf)),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const columns = output.isTTY ? Math.max(10, output.columns - before) : Infinity;
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === row.length - 1 ? shorten(cell, columns) : pad(cell, widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [color('dim', line(headings)), ...rows.map(line)].map((text) => `${text}\n`).join('');
}

/** Facts with names, one a line. */
export function facts(entries: readonly (readonly [name: string, value: string | null])[]): string {
  const shown = entries.filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plainLine(value ?? '')}\n`).join('');
}

const STYLES = { dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** Colors a text. */
export type Paint = (style: keyof typeof STYLES, text: string) => string;

/** Colors only a terminal, and only when NO_COLOR (no-color.org) is not set and TERM is not dumb. */
export function painter({ isTTY }: Pick<Output, 'isTTY'>, env: Readonly<Record<string, string | undefined>>): Paint {
  const isPlain = !isTTY || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  if (isPlain) return (_style, text) => text;
  return (style, text) => `\u001B[${STYLES[style][0]}m${text}\u001B[${STYLES[style][1]}m`;
}

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function shorten(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
