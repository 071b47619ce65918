/** Reads the bytes of one of the caller's images, as uploaded. */
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { findMedia, mediaNotFound } from './find-media.ts';
import { readStoredImage } from './read-stored-image.ts';
import { formatOf } from '../images/formats/index.ts';
import type { ImageType } from '../../entities/media.ts';

export interface MediaFile {
  readonly bytes: Uint8Array;
  readonly contentType: ImageType;
  /** Letters, digits, hyphens and one dot. */
  readonly fileName: string;
}

/** @throws ServiceError not_found for an unknown, deleted or foreign image; storage_unavailable; DamagedImage */
export async function readMediaBytes(context: Context, caller: Caller, mediaId: string): Promise<MediaFile> {
  const row = await findMedia(context, caller, mediaId);
  const bytes = await readStoredImage(context, row);
  // The image may have been deleted between the two reads.
  if (bytes === null) throw mediaNotFound(mediaId);
  const contentType = row.content_type;
  return { bytes, contentType, fileName: `${row.id}.${formatOf(contentType).extension}` };
}
