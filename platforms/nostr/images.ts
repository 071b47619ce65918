/** Images: stored on a Blossom server (BUD-01, BUD-02), and named in the text and in `imeta` tags (NIP-92). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, isProxyPage, isTemporary, platformWords, retryAfterMsOf } from '../http.ts';
import type { NostrCredential } from './credential.ts';
import { KIND, signEvent } from './event.ts';

/** How long the permission to upload is valid, in seconds. */
const PERMITTED_SECONDS = 600;

/** What messages call the Blossom server. */
const SERVER = 'The server for images';

const Stored = z.object({ url: z.url({ protocol: /^https?$/ }), sha256: z.string() });

const Prepared = z.array(
  z.object({ url: z.string(), sha256: z.string(), type: z.string(), size: z.string(), altText: z.string() }),
);

export async function uploadImages(
  { credential }: Session<NostrCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return Promise.all(
    images.map(async (image) => {
      const sha256 = createHash('sha256').update(image.bytes).digest('hex');
      const url = await upload(io, credential, image, sha256);
      return { url, sha256, type: image.contentType, size: `${image.width}x${image.height}`, altText: image.altText };
    }),
  );
}

async function upload(
  io: PlatformIo,
  credential: NostrCredential,
  image: OutgoingImage,
  sha256: string,
): Promise<string> {
  const expiration = Math.floor(io.now().getTime() / 1_000) + PERMITTED_SECONDS;
  const tags = [
    ['t', 'upload'],
    ['x', sha256],
    ['expiration', String(expiration)],
  ];
  const permission = signEvent(
    { kind: KIND.blossomAuth, createdAt: io.now(), tags, content: 'Upload an image' },
    credential.secretKey,
  );
  const answer = await callPlatform(io, `${io.endpoints.NOSTR_MEDIA_URL}/upload`, {
    method: 'PUT',
    headers: {
      authorization: `Nostr ${Buffer.from(JSON.stringify(permission)).toString('base64')}`,
      'content-type': image.contentType,
    },
    body: image.bytes,
  });
  const stored = Stored.safeParse(answer.body);
  if (answer.status >= 300) {
    const words = answer.headers.get('x-reason');
    const reason = platformWords(words ?? `HTTP ${answer.status}`);
    const isOfServer = words !== null || !isProxyPage(answer);
    const isFinal = isOfServer && answer.status >= 400 && !isTemporary(answer);
    const message = `${SERVER} refused: ${reason}`;
    if (isFinal) throw new PlatformFailure('rejected', message);
    throw new PlatformFailure('unavailable', message, { retryAfterMs: retryAfterMsOf(answer) });
  }
  if (!stored.success || stored.data.sha256 !== sha256) {
    throw new PlatformFailure('unavailable', `${SERVER} answered without the image.`);
  }
  return stored.data.url;
}

/** The addresses that follow the text, and the tags that describe them. */
export function shownImages(prepared: Json | null): {
  readonly addresses: readonly string[];
  readonly tags: readonly string[][];
} {
  const images = prepared === null ? [] : Prepared.parse(prepared);
  return {
    addresses: images.map(({ url }) => url),
    tags: images.map(({ url, sha256, type, size, altText }) => [
      'imeta',
      `url ${url}`,
      `m ${type}`,
      `x ${sha256}`,
      `dim ${size}`,
      ...(altText === '' ? [] : [`alt ${altText}`]),
    ]),
  };
}
