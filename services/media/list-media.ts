/** Lists the caller's images, newest first. */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { type Page, pageOf } from '../paging.ts';
import { MEDIA_COLUMNS, type MediaView, mediaView } from './media-view.ts';
import { reachableMedia } from './reachable-media.ts';
import { isUnused } from './release-media.ts';

export interface MediaFilter {
  /** True returns only images that no post names. */
  readonly unused: boolean;
  /** Most items on a page, 1 or more. */
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly cursor?: string | undefined;
}

/** Reads only. Ids sort by time, so their order is that of the uploads. */
export async function listMedia(
  context: Context,
  caller: Caller,
  { unused, limit, cursor }: MediaFilter,
): Promise<Page<MediaView>> {
  let page = tables(context.db.queries)
    .selectFrom('media')
    .select(MEDIA_COLUMNS)
    .where(reachableMedia(caller))
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (unused) page = page.where(isUnused);
  if (cursor !== undefined) page = page.where('id', '<', cursor);
  const rows = await page.execute();
  return pageOf(rows.map(mediaView), limit);
}
