/** A page of the images of an export, without their bytes. */
import { tables } from '../../entities/tables.ts';
import { MEDIA_COLUMNS, mediaView } from '../media/media-view.ts';
import { reachableMedia } from '../media/reachable-media.ts';
import { exportPage, type ReadPage } from './export-page.ts';

export const mediaPage: ReadPage = async ({ db }, caller, { after, until, limit }) => {
  const images = await tables(db.queries)
    .selectFrom('media')
    .select(MEDIA_COLUMNS)
    .where(reachableMedia(caller))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .where('id', '<=', until)
    .orderBy('account_id')
    .orderBy('id')
    .limit(limit)
    .execute();
  return exportPage(images, limit, mediaView);
};
