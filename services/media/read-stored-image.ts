/**
 * Reads the bytes of a stored image, and checks that they are the ones that were uploaded: a store may lose a part of them or
 * give others (docs/decisions/0131-limit-transfers-by-progress-and-check-images-by-hash.md).
 */
import { hash } from 'node:crypto';
import type { Tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';

/** The columns that identify the bytes of an image. */
export const STORED_IMAGE_COLUMNS = ['id', 'size_bytes', 'bytes_hash'] as const;

export type StoredImageRow = Pick<Tables['media'], (typeof STORED_IMAGE_COLUMNS)[number]>;

/** What callers read about a damaged image. */
export const DAMAGED_MESSAGE = 'What is stored of it is damaged; if this continues, upload it again.';

/** Bytes that are not the ones that were uploaded. Another read may give them, because the damage may be on the way. */
export class DamagedImage extends ServiceError {
  constructor(cause: string) {
    super('storage_unavailable', `The image cannot be read. ${DAMAGED_MESSAGE}`, { cause: new Error(cause) });
  }
}

/** The SHA-256 of the bytes of an image, in hexadecimal. */
export function hashImage(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/**
 * @param signal ends the read, which then throws
 * @returns null when nothing is stored
 * @throws DamagedImage; ServiceError storage_unavailable when the store does not answer
 */
export async function readStoredImage(
  { media }: Pick<Context, 'media'>,
  { id, size_bytes: sizeBytes, bytes_hash: bytesHash }: StoredImageRow,
  signal?: AbortSignal,
): Promise<Uint8Array | null> {
  const bytes = await media.get(id, signal);
  if (bytes === null) return null;
  if (bytes.length !== sizeBytes)
    throw new DamagedImage(`image ${id} has ${bytes.length} bytes in its storage instead of ${sizeBytes}`);
  // Images of versions that stored no hash have only their size to compare.
  if (bytesHash !== null && hashImage(bytes) !== bytesHash)
    throw new DamagedImage(`image ${id} has other bytes in its storage than were uploaded`);
  return bytes;
}
