/** An import and its rows in the wire format (docs/contract/import-export.md#imports). */
import type { Import, IMPORT_FORMATS, ImportStatus } from '../../entities/import.ts';
import type { ImportRowStatus } from '../../entities/import-row.ts';
import type { Tables } from '../../entities/tables.ts';
import { tables } from '../../entities/tables.ts';
import { anyOf } from '../../entities/any-of.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Context } from '../context.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

/** Number of rows by status. */
export type RowCounts = Record<ImportRowStatus, number>;

export interface ImportView {
  id: string;
  name: string | null;
  format: (typeof IMPORT_FORMATS)[number];
  dryRun: boolean;
  status: ImportStatus;
  rows: number;
  counts: RowCounts;
  error: string | null;
  createdAt: string;
  endedAt: string | null;
}

/** What happened to a row on one connection. */
export interface RowResult {
  readonly connectionSlug: string;
  /** `valid` in a dry run, `processing` while it is being sent. */
  readonly status: 'valid' | 'processing' | 'sent' | 'scheduled' | 'draft' | 'failed';
  readonly postId: string | null;
  readonly scheduledFor: string | null;
  readonly error: ItemError | null;
}

export interface RowView {
  row: number;
  status: ImportRowStatus;
  results: RowResult[];
  error: { code: string; message: string } | null;
}

export async function importViews(context: Context, imports: readonly Import[]): Promise<ImportView[]> {
  const counted = await tables(context.db.queries)
    .selectFrom('import_rows')
    .select(['import_id', 'status', ({ fn }) => fn.countAll<string>().as('count')])
    .where('import_id', '=', anyOf(imports.map(({ id }) => id)))
    .groupBy(['import_id', 'status'])
    .execute();
  return imports.map((one) => {
    const counts: RowCounts = { pending: 0, valid: 0, created: 0, skipped: 0, failed: 0 };
    for (const { import_id: id, status, count } of counted) if (id === one.id) counts[status] = Number(count);
    return {
      id: one.id,
      name: one.name ?? null,
      format: one.format,
      dryRun: one.dryRun,
      status: one.status,
      rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
      counts,
      error: one.errorMessage ?? null,
      createdAt: timestamp(one.createdAt),
      endedAt: timestampOrNull(one.endedAt ?? null),
    };
  });
}

export async function importView(context: Context, one: Import): Promise<ImportView> {
  const [view] = await importViews(context, [one]);
  if (view === undefined) throw new Error(`no view of the import ${one.id}`);
  return view;
}

export type RowColumns = Pick<Tables['import_rows'], 'number' | 'status' | 'results' | 'error_code' | 'error_message'>;

export function rowView(row: RowColumns): RowView {
  const { error_code: code, error_message: message } = row;
  return {
    row: row.number,
    status: row.status,
    results: (row.results as unknown as RowResult[]).map(resultInOrder),
    error: code === null ? null : { code, message: message ?? '' },
  };
}

/** PostgreSQL does not keep the order of fields in JSON. */
function resultInOrder({ connectionSlug, status, postId, scheduledFor, error }: RowResult): RowResult {
  return { connectionSlug, status, postId, scheduledFor, error };
}
