/** Operations on images. */
import { router } from '../procedures.ts';
import { deleteMedia } from './delete-media.ts';
import { getMedia } from './get-media.ts';
import { getMediaRaw } from './get-media-raw.ts';
import { listMedia } from './list-media.ts';
import { proposeAltText } from './propose-alt-text.ts';
import { uploadMediaFromUrl } from './upload-media-from-url.ts';
import { uploadMedia } from './upload-media.ts';

export const mediaRouter = router({
  upload: uploadMedia,
  uploadFromUrl: uploadMediaFromUrl,
  list: listMedia,
  get: getMedia,
  delete: deleteMedia,
  raw: getMediaRaw,
  proposeAltText,
});
