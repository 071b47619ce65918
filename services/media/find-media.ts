/** Finds the row of one of the caller's images. */
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { MEDIA_COLUMNS, type MediaRow } from './media-view.ts';
import type { StoredImageRow } from './read-stored-image.ts';
import { reachableMedia } from './reachable-media.ts';

/** @throws ServiceError not_found for an unknown, deleted or foreign image. */
export async function findMedia(context: Context, caller: Caller, mediaId: string): Promise<MediaRow & StoredImageRow> {
  const row = await tables(context.db.queries)
    .selectFrom('media')
    .select([...MEDIA_COLUMNS, 'bytes_hash'])
    .where(reachableMedia(caller))
    .where('id', '=', mediaId)
    .executeTakeFirst();
  if (row === undefined) throw mediaNotFound(mediaId);
  return row;
}

export function mediaNotFound(mediaId: string): ServiceError {
  return new ServiceError('not_found', `No image of yours has the id ${mediaId}.`);
}
