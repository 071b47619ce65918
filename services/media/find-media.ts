/** Finds the row of one of the caller's images. */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { MEDIA_COLUMNS, type MediaRow } from './media-view.ts';
import { reachableMedia } from './reachable-media.ts';

/** @throws ServiceError not_found for an unknown, deleted or foreign image. */
export async function findMedia(context: Context, caller: Caller, mediaId: string): Promise<MediaRow> {
  const { condition, parameters } = reachableMedia(caller);
  const sql = `select ${MEDIA_COLUMNS} from media where ${condition} and id = $${parameters.push(mediaId)}`;
  const [row] = await query<MediaRow>(context.db.em(), sql, parameters);
  if (row === undefined) throw mediaNotFound(mediaId);
  return row;
}

export function mediaNotFound(mediaId: string): ServiceError {
  return new ServiceError('not_found', `No image of yours has the id ${mediaId}.`);
}
