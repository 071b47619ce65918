/**
 * Creates the client of an S3-compatible store, with limits on its transfers: one may be slow, but not stop
 * (docs/decisions/0131-limit-transfers-by-progress-and-check-images-by-hash.md).
 */
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { MediaStoreConfig } from '../config.ts';
import { IMAGE_MAX_BYTES } from '../images/limits.ts';

export type Sdk = typeof import('@aws-sdk/client-s3');

/** Default region: services other than Amazon's accept any region, but the signature needs one. */
const REGION_OF_OTHERS = 'us-east-1';

/** Attempts of each request. */
const ATTEMPTS = 2;

/** Bytes per second of the slowest link on which the largest image is stored and read (docs/operations.md#a-slow-link-to-s3). */
const SLOWEST_LINK = 256 * 1024;

/** Bytes of an upload that are handed over at once: the SDK sees progress once for each. */
const PIECE_BYTES = 64 * 1024;

/** Real milliseconds. */
export interface TransferTimes {
  /** To connect. */
  readonly connectMs: number;
  /**
   * Without any progress. The SDK starts to measure 3 s after the start of a request, and Node asks twice whether a write goes on,
   * so an attempt that stops ends after up to 3 s and twice this time. Sending what the kernel has taken is no progress.
   */
  readonly idleMs: number;
  /** The whole call, with both attempts. */
  readonly wholeMs: number;
}

const IDLE_MS = 12_000;

export const TRANSFER_TIMES: TransferTimes = {
  connectMs: 5_000,
  idleMs: IDLE_MS,
  wholeMs: (IMAGE_MAX_BYTES / SLOWEST_LINK) * 1_000 + ATTEMPTS * IDLE_MS,
};

export function createS3Client(
  sdk: Sdk,
  { endpoint, region }: MediaStoreConfig & { kind: 's3' },
  { connectMs, idleMs }: TransferTimes,
): S3Client {
  const elsewhere =
    endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: region ?? REGION_OF_OTHERS };
  const client = new sdk.S3Client({
    ...(region === undefined ? {} : { region }),
    ...elsewhere,
    // No requestTimeout: it runs until the response begins, so it would limit how long an upload may take.
    requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs },
    maxAttempts: ATTEMPTS,
    // Services other than Amazon's do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  sendInPieces(client);
  return client;
}

/**
 * Over TLS, Node reports no progress of a write until all of it is written, so an upload in one write looks like one that has
 * stopped. The step runs after signing, which needs the bytes, and again in each attempt.
 */
function sendInPieces(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown };
      if (!(request.body instanceof Uint8Array)) return next(args);
      const body = Readable.from(piecesOf(request.body));
      // A copy, because a second attempt needs the bytes again.
      const copy = Object.assign(Object.create(Object.getPrototypeOf(request) as object) as object, request, { body });
      return next({ ...args, request: copy });
    },
    { step: 'deserialize', priority: 'low', name: 'sendInPieces' },
  );
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
}
