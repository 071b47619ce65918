/** Lists the caller's images, newest first. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { type Page, pageOf } from '../paging.ts';
import { MEDIA_COLUMNS, type MediaRow, type MediaView, mediaView } from './media-view.ts';
import { reachableMedia } from './reachable-media.ts';
import { IS_UNUSED } from './release-media.ts';

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
  const { condition, parameters } = reachableMedia(caller);
  const conditions = [condition];
  if (unused) conditions.push(IS_UNUSED);
  if (cursor !== undefined) conditions.push(`id < $${parameters.push(cursor)}::uuid`);
  const sql = `select ${MEDIA_COLUMNS} from media m where ${conditions.join(' and ')} order by id desc limit $${parameters.push(limit + 1)}`;
  const rows = await query<MediaRow>(context.db.em(), sql, parameters);
  return pageOf(rows.map(mediaView), limit);
}
