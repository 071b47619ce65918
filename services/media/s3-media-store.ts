/**
 * Stores images in an S3-compatible bucket. Credentials come from where the AWS SDK finds them (AWS_ACCESS_KEY_ID, a
 * profile, a role).
 */
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { MediaStoreConfig } from '../config.ts';
import type { MediaStore } from '../ports/media-store.ts';

/** Default region: services other than Amazon's accept any region, but the signature needs one. */
const REGION_OF_OTHERS = 'us-east-1';

/**
 * Timeouts in milliseconds for the connection, the response, and a transfer that stops midway. A send reads its images
 * within its lease, so both attempts together are shorter. Without the last setting the SDK only warns.
 */
const TIMES = { connectionTimeout: 5_000, requestTimeout: 12_000, socketTimeout: 12_000, throwOnRequestTimeout: true };

/** Attempts of each request. */
const ATTEMPTS = 2;

type Sdk = typeof import('@aws-sdk/client-s3');

/** @param times timeouts of each attempt */
export function createS3MediaStore(config: MediaStoreConfig & { kind: 's3' }, times: typeof TIMES = TIMES): MediaStore {
  let opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  // The SDK is large, so it is loaded only when it is used.
  const open = () =>
    (opened ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createClient(sdk, config, times) })));
  const address = (key: string) => ({ Bucket: config.bucket, Key: `${config.prefix}${key}` });
  return {
    put: async (key, bytes, contentType) => {
      const { sdk, client } = await open();
      await client.send(new sdk.PutObjectCommand({ ...address(key), Body: bytes, ContentType: contentType }));
    },
    get: async (key, signal) => {
      const { sdk, client } = await open();
      try {
        const options = signal === undefined ? {} : { abortSignal: signal };
        const { Body } = await client.send(new sdk.GetObjectCommand(address(key)), options);
        return Body === undefined ? null : await Body.transformToByteArray();
      } catch (error) {
        if ((error as S3ServiceException).name === 'NoSuchKey') return null;
        throw error;
      }
    },
    delete: async (key) => {
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand(address(key)));
    },
  };
}

function createClient(
  sdk: Sdk,
  { endpoint, region }: MediaStoreConfig & { kind: 's3' },
  times: typeof TIMES,
): S3Client {
  const elsewhere =
    endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: region ?? REGION_OF_OTHERS };
  return new sdk.S3Client({
    ...(region === undefined ? {} : { region }),
    ...elsewhere,
    requestHandler: times,
    maxAttempts: ATTEMPTS,
    // Services other than Amazon's do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
