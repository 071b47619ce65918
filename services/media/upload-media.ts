/**
 * Stores an uploaded image. Its row is written first, with its share of the account's storage, and can be used once the
 * bytes are stored. So the storage is counted exactly however many uploads run in parallel, and no bytes are stored
 * without a row.
 */
import { column, columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { type ImageType, Media } from '../../entities/media.ts';
import { formatBytes, IMAGE_MAX_BYTES, STORAGE_MAX_BYTES } from '../images/limits.ts';
import { MEDIA_COLUMNS, type MediaView, mediaView } from './media-view.ts';
import { hashImage } from './read-stored-image.ts';
import { releaseMedia } from './release-media.ts';

export interface Upload {
  readonly bytes: Buffer;
  readonly contentType: ImageType;
  /** Null when none was given. */
  readonly altText: string | null;
}

const STORED = columns('media', MEDIA_COLUMNS);

// The update locks the account's row, so parallel uploads see each other's bytes.
const reserve = statement('reserve storage for an image', {
  parameters: {
    id: 'uuid',
    accountId: 'uuid',
    profileId: 'uuid?',
    contentType: column('media', 'content_type'),
    sizeBytes: 'int',
    bytesHash: 'text',
    width: 'int',
    height: 'int',
    altText: 'text?',
    now: 'timestamptz',
  },
  result: STORED.types,
  sql: ({ id, accountId, profileId, contentType, sizeBytes, bytesHash, width, height, altText, now }) => `
    with reserved as (
      update accounts set media_bytes = media_bytes + ${sizeBytes}
      where id = ${accountId} and media_bytes + ${sizeBytes} <= ${STORAGE_MAX_BYTES} returning id
    )
    insert into media (
      id, account_id, profile_id, content_type, size_bytes, bytes_hash, width, height, alt_text, state, created_at
    )
    select ${id}, id, ${profileId}, ${contentType}, ${sizeBytes}, ${bytesHash}, ${width}, ${height}, ${altText}, 'storing', ${now}
    from reserved
    returning ${STORED.sql}`,
});

/** @throws ServiceError media_too_large, media_type_mismatch, server_busy, storage_full or storage_unavailable */
export async function uploadMedia(context: Context, caller: Caller, upload: Upload): Promise<MediaView> {
  const { bytes, contentType } = upload;
  if (bytes.length > IMAGE_MAX_BYTES) {
    throw new ServiceError(
      'media_too_large',
      `The image has ${formatBytes(bytes.length)}; at most ${formatBytes(IMAGE_MAX_BYTES)} are taken.`,
    );
  }
  const { width, height } = await context.images.inspect(caller.accountId, bytes, contentType);
  const id = context.random.uuid();
  const altText = upload.altText?.trim() === '' ? null : upload.altText;
  const [row] = await reserve(context.db.em(), {
    id,
    accountId: caller.accountId,
    profileId: caller.profileId,
    contentType,
    sizeBytes: bytes.length,
    bytesHash: hashImage(bytes),
    width,
    height,
    altText,
    now: context.clock.now(),
  });
  if (row === undefined) throw await storageFull(context, caller, bytes.length);
  await store(context, id, upload);
  return mediaView(row);
}

async function store(context: Context, id: string, { bytes, contentType }: Upload): Promise<void> {
  try {
    await context.media.put(id, bytes, contentType);
    const stored = await context.db.em().nativeUpdate(Media, { id, state: 'storing' }, { state: 'stored' });
    if (stored === 0) throw new Error(`storing image ${id} took too long`);
  } catch (error) {
    await releaseMedia(context, [id]).catch((cause: unknown) =>
      context.log.error({ mediaId: id, err: cause }, 'an image could not be given up'),
    );
    throw error;
  }
}

async function storageFull(context: Context, caller: Caller, sizeBytes: number): Promise<ServiceError> {
  const account = await tables(context.db.queries)
    .selectFrom('accounts')
    .select('media_bytes')
    .where('id', '=', caller.accountId)
    .executeTakeFirst();
  const [used, size, most] = [account?.media_bytes ?? 0, sizeBytes, STORAGE_MAX_BYTES].map(formatBytes);
  return new ServiceError('storage_full', `Your images take ${used} and this one ${size}; at most ${most} are kept.`);
}
