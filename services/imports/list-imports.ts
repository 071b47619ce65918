/** Lists the caller's imports of the past 30 days, newest first, a page at a time. */
import { Import } from '../../entities/import.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { type CursorPage, type Page, pageOf } from '../paging.ts';
import { reachableImports } from './find-import.ts';
import { importViews, type ImportView } from './import-view.ts';

export async function listImports(
  context: Context,
  caller: Caller,
  { limit, cursor }: CursorPage,
): Promise<Page<ImportView>> {
  const where = { ...Object(reachableImports(caller)), ...(cursor !== undefined && { id: { $lt: cursor } }) };
  const found = await context.db.em().find(Import, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
  return pageOf(await importViews(context, found), limit);
}
