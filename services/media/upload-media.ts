/**
 * Stores an uploaded image. Its row is written first, with its share of the account's storage, and can be used once the
 * bytes are stored. So the storage is counted exactly however many uploads run in parallel, and no bytes are stored
 * without a row.
 */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { bytesInWords, IMAGE_MAX_BYTES, type ImageType, STORAGE_MAX_BYTES } from './limits.ts';
import { MEDIA_COLUMNS, type MediaRow, type MediaView, mediaView } from './media-view.ts';
import { releaseMedia } from './release-media.ts';

export interface Upload {
  readonly bytes: Buffer;
  readonly contentType: ImageType;
  /** Null when none was given. */
  readonly altText: string | null;
}

// The update locks the account's row, so parallel uploads see each other's bytes.
const RESERVE = `
  with room as (
    update accounts set media_bytes = media_bytes + $5 where id = $2 and media_bytes + $5 <= ${STORAGE_MAX_BYTES} returning id
  )
  insert into media (id, account_id, profile_id, content_type, size_bytes, width, height, alt_text, state, created_at)
  select $1, id, $3, $4, $5, $6, $7, $8, 'storing', $9 from room
  returning ${MEDIA_COLUMNS}`;

/** @throws ServiceError media_too_large, media_type_mismatch, server_busy or storage_full */
export async function uploadMedia(context: Context, caller: Caller, upload: Upload): Promise<MediaView> {
  const { bytes, contentType } = upload;
  if (bytes.length > IMAGE_MAX_BYTES) {
    throw new ServiceError(
      'media_too_large',
      `The image has ${bytesInWords(bytes.length)}; at most ${bytesInWords(IMAGE_MAX_BYTES)} are taken.`,
    );
  }
  const { width, height } = await context.images.inspect(caller.accountId, bytes, contentType);
  const id = context.random.uuid();
  const altText = upload.altText?.trim() === '' ? null : upload.altText;
  const parameters = [
    id,
    caller.accountId,
    caller.profileId,
    contentType,
    bytes.length,
    width,
    height,
    altText,
    context.clock.now(),
  ];
  const [row] = await query<MediaRow>(context.db.em(), RESERVE, parameters);
  if (row === undefined) throw await storageFull(context, caller, bytes.length);
  await store(context, id, upload);
  return mediaView(row);
}

async function store(context: Context, id: string, { bytes, contentType }: Upload): Promise<void> {
  try {
    await context.media.put(id, bytes, contentType);
    const kept = await query(
      context.db.em(),
      `update media set state = 'stored' where id = $1 and state = 'storing' returning id`,
      [id],
    );
    if (kept.length === 0) throw new Error(`storing image ${id} took too long`);
  } catch (error) {
    await releaseMedia(context, [id]).catch((cause: unknown) =>
      context.log.error({ mediaId: id, err: cause }, 'an image could not be given up'),
    );
    throw error;
  }
}

async function storageFull(context: Context, caller: Caller, sizeBytes: number): Promise<ServiceError> {
  const [account] = await query<{ used: number }>(
    context.db.em(),
    'select media_bytes as used from accounts where id = $1',
    [caller.accountId],
  );
  const [used, size, most] = [account?.used ?? 0, sizeBytes, STORAGE_MAX_BYTES].map(bytesInWords);
  return new ServiceError('storage_full', `Your images take ${used} and this one ${size}; at most ${most} are kept.`);
}
