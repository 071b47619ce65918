/** Reads the rows of a file (docs/contract/import-export.md#files). Values stay text; import-fields.ts reads them. */
import { CsvError, parse } from 'csv-parse/sync';
import { ServiceError } from '../../errors/service-error.ts';
import { cutText } from '../../platforms/untrusted.ts';
import { FORMULA } from '../exports/export-csv.ts';
import { CSV_COLUMNS, unknownColumns } from './csv-fields.ts';

/** Most rows of a file, without the header. */
export const IMPORT_ROWS_MAX = 1_000;

/** Most characters of a file; a request has at most 1 MiB. */
export const IMPORT_FILE_MAX = 1_000_000;

/** A row before it is understood. */
export type RawRow = { readonly fields: Readonly<Record<string, unknown>> } | { readonly error: string };

/**
 * @throws ServiceError invalid_request when the file as a whole cannot be read, has too many rows, or names an unknown
 *   column
 */
export function readRows(format: 'csv' | 'json', content: string): RawRow[] {
  const text = content.replace(/^\uFEFF/, '');
  const rows = format === 'csv' ? readCsv(text) : readJson(text);
  if (rows.length === 0) throw refused('the file has no rows.');
  if (rows.length > IMPORT_ROWS_MAX) {
    throw refused(`the file has more than ${IMPORT_ROWS_MAX} rows. Split it, and send the parts one after the other.`);
  }
  return rows;
}

function refused(why: string): ServiceError {
  return new ServiceError('invalid_request', `content: ${why}`);
}

function readCsv(text: string): RawRow[] {
  const records = parseCsv(text);
  const header = (records[0] ?? []).map((name) => name.trim());
  const names = header.filter((name) => name !== '');
  if (names.length === 0) throw refused('the first line must name the columns.');
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined) throw refused(`the column ${quoted(repeated)} is named twice.`);
  const rows = records.slice(1);
  const isTooLong = (row: readonly string[]) => row.length > header.length;
  // A column without a name may only be empty: a separator at the end of each line makes one. In a row that is too long, the
  // cells may be in other columns than they belong to.
  const hasUnnamedCells = rows.some(
    (row) => !isTooLong(row) && row.some((cell, index) => cell !== '' && header[index] === ''),
  );
  refuseUnknownColumns([...names, ...(hasUnnamedCells ? [''] : [])]);
  return rows.map((record) => {
    if (isTooLong(record)) {
      return {
        error: `it has ${record.length} fields, and the header ${header.length}. Quote fields that have commas.`,
      };
    }
    const cells = record.flatMap((cell, index): [string, string][] =>
      cell === '' ? [] : [[header[index] ?? '', unguarded(cell)]],
    );
    return { fields: Object.fromEntries(cells) };
  });
}

function refuseUnknownColumns(columns: readonly string[]): void {
  const unknown = unknownColumns(columns).map(quoted);
  if (unknown.length === 0) return;
  throw refused(
    `unknown columns: ${unknown.slice(0, 10).join(', ')}. The columns are ${CSV_COLUMNS.join(', ')}, and text.x for the text of a platform.`,
  );
}

function quoted(column: string): string {
  return `"${cutText(column, 60)}"`;
}

/** The first line that is not blank. */
const HEADER = /^(?:[ \t]*(?:\r\n|\n|\r))*([^\r\n]*)/;

/** One array of cells a record. A comma, semicolon or tab separates, whichever the header has. */
function parseCsv(text: string): string[][] {
  const header = HEADER.exec(text)?.[1] ?? '';
  const delimiter = [',', ';', '\t'].find((one) => header.includes(one)) ?? ',';
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: IMPORT_FILE_MAX,
      to: IMPORT_ROWS_MAX + 2,
    });
  } catch (error) {
    // Its message quotes nothing of the file but the number of the line.
    if (error instanceof CsvError) throw refused(`it is not valid CSV: ${error.message.replace(/\.?$/, '.')}`);
    throw error;
  }
}

/** Removes the apostrophe that an export puts before what a spreadsheet would run (export-csv.ts). */
function unguarded(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

function readJson(text: string): RawRow[] {
  const items = parseJson(text);
  return items.map((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? { fields: item as Record<string, unknown> }
      : { error: 'it is not an object such as {"text":"Ding","connectionSlugs":["bells"]}.' },
  );
}

/** An array of objects, or one object a line. */
function parseJson(text: string): readonly unknown[] {
  if (text.trimStart().startsWith('[')) {
    const list = parsed(text, () => 'it is not valid JSON.');
    return list as unknown[];
  }
  return text
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => parsed(line, () => `line ${number} is not valid JSON.`));
}

function parsed(text: string, why: () => string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(why());
  }
}
