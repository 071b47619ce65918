/** A page of an export. */
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';

/** Rows of a page; metrics have up to 78 for each of its posts. */
export const EXPORT_PAGE = 500;

/** Where a page is, and how far the export goes. */
export interface ExportPosition {
  /** Id of the last row before the page; null for the first. */
  readonly after: string | null;
  /** Last id that is exported. */
  readonly until: string;
  /** Most rows. */
  readonly limit: number;
}

export interface ExportPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
}

export type ReadPage = (context: Context, caller: Caller, position: ExportPosition) => Promise<ExportPage>;

/** @param rows up to `limit` rows; a page with fewer is the last one */
export function exportPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => object,
): ExportPage {
  const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return { rows: rows.map((row) => view(row) as Record<string, unknown>), next };
}
