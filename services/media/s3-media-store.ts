/**
 * Stores images in an S3-compatible bucket. Credentials come from where the AWS SDK finds them (AWS_ACCESS_KEY_ID, a
 * profile, a role).
 */
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { Clock } from '../clock.ts';
import type { MediaStoreConfig } from '../config.ts';
import type { MediaStore } from '../ports/media-store.ts';
import { createS3Client, type Sdk, TRANSFER_TIMES } from './s3-client.ts';

/** @param times limits of each call; a call that exceeds one throws */
export function createS3MediaStore(
  config: MediaStoreConfig & { kind: 's3' },
  clock: Clock,
  times = TRANSFER_TIMES,
): MediaStore {
  let opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  // The SDK is large, so it is loaded only when it is used.
  const open = () =>
    (opened ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createS3Client(sdk, config, times) })));
  const address = (key: string) => ({ Bucket: config.bucket, Key: `${config.prefix}${key}` });
  const limit = (signal?: AbortSignal) => ({ abortSignal: clock.deadline(times.wholeMs, signal) });
  return {
    put: async (key, bytes, contentType) => {
      const { sdk, client } = await open();
      const object = { ...address(key), Body: bytes, ContentType: contentType };
      await client.send(new sdk.PutObjectCommand(object), limit());
    },
    get: async (key, signal) => {
      const { sdk, client } = await open();
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(address(key)), limit(signal));
        return Body === undefined ? null : await Body.transformToByteArray();
      } catch (error) {
        if ((error as S3ServiceException).name === 'NoSuchKey') return null;
        throw error;
      }
    },
    delete: async (key) => {
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand(address(key)), limit());
    },
  };
}
