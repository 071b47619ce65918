/**
 * Exports everything of one kind as text, a page at a time: the memory of an export does not depend on its length. Each
 * page is a separate query, so that an export that is read slowly or not to its end holds nothing in the database.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { requireScope } from '../access/require-scope.ts';
import { inForce } from '../access/stored-caller.ts';
import type { Context } from '../context.ts';
import { csvLine } from './export-csv.ts';
import { exportEnd } from './export-end.ts';
import { EXPORT_KINDS, type ExportKind, type ExportKindName } from './export-kinds.ts';
import { EXPORT_PAGE } from './export-page.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRequest {
  readonly kind: ExportKindName;
  readonly format: ExportFormat;
  /** Id of a row: the export goes on after it. */
  readonly after: string | null;
}

/** @throws ServiceError forbidden when the key may not read this kind */
export function requireExportAccess(caller: Caller, name: ExportKindName): void {
  const kind: ExportKind = EXPORT_KINDS[name];
  requireScope(caller, kind.scope);
  if (kind.wholeAccount === true && (caller.profileId !== null || caller.mode === 'test')) {
    throw new ServiceError('forbidden', `The export of ${name} needs a live key that reaches the whole account.`);
  }
}

/**
 * The text, in chunks of a page.
 *
 * @throws Error when the key or grant of the caller ends meanwhile
 */
export async function* exportRows(
  context: Context,
  caller: Caller,
  { kind: name, format, after }: ExportRequest,
): AsyncGenerator<string, void, undefined> {
  const { columns, readPage, table }: ExportKind = EXPORT_KINDS[name];
  const until = await exportEnd(context, table);
  // Spreadsheets recognize UTF-8 by the mark.
  if (format === 'csv') yield `\uFEFF${csvLine(columns)}`;
  let next = after;
  do {
    await requireInForce(context, caller);
    const page = await readPage(context, caller, { after: next, until, limit: EXPORT_PAGE });
    const lines = page.rows.map((row) =>
      format === 'csv' ? csvLine(columns.map((column) => row[column])) : ndjsonLine(columns, row),
    );
    if (lines.length > 0) yield lines.join('');
    next = page.next;
  } while (next !== null);
}

/** Each part of an export needs the rights that asked for it. @throws Error when they have ended */
export async function requireInForce(context: Context, caller: Caller): Promise<void> {
  if ((await inForce(context, caller)) === null) throw new Error('the key of an export has ended');
}

/** The same fields in the same order as CSV. */
function ndjsonLine(columns: readonly string[], row: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}\n`;
}
