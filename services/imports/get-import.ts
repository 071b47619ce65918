/** Reads the state of an import and a page of its rows, in the order of the file. */
import type { ImportRowStatus } from '../../entities/import-row.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { findImport } from './find-import.ts';
import { importView, type ImportView, type RowView, rowView } from './import-view.ts';
import { withSettledResults } from './settled-results.ts';

export interface RowPage {
  /** 1 to 100. */
  readonly limit: number;
  /** Number of a row: the page starts after it. */
  readonly cursor?: number | undefined;
  /** Only the rows with this status. */
  readonly status?: ImportRowStatus | undefined;
}

/** @throws ServiceError not_found for an unknown or foreign import */
export async function getImport(
  context: Context,
  caller: Caller,
  importId: string,
  { limit, cursor = 0, status }: RowPage,
): Promise<{ import: ImportView; rows: RowView[]; nextCursor: string | null }> {
  const one = await findImport(context.db.em(), caller, importId);
  const rows = await tables(context.db.queries)
    .selectFrom('import_rows')
    .select(['number', 'status', 'results', 'error_code', 'error_message'])
    .where('import_id', '=', one.id)
    .where('number', '>', cursor)
    .$if(status !== undefined, (query) => query.where('status', '=', status as ImportRowStatus))
    .orderBy('number')
    .limit(limit + 1)
    .execute();
  const shown = await withSettledResults(context, caller, rows.slice(0, limit).map(rowView));
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? String(last.row) : null;
  return { import: await importView(context, one), rows: shown, nextCursor };
}
