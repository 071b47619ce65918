/** Uploads the images of a post as blobs. The post's record then references them as the server described them. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { withoutPublishing } from '../http.ts';
import { failure } from './api.ts';
import { type BlueskyCredential, commandLoggedIn } from './credential.ts';

/** The server compares a blob's description, so it is passed on unchanged. */
const Uploaded = z.object({ blob: z.record(z.string(), z.json()) });

/**
 * Uploads images. The server deletes a blob after some time if no record references it.
 *
 * @returns the embed of the record
 * @throws PlatformFailure; nothing has been published by then
 * @see https://docs.bsky.app/docs/advanced-guides/posts#images-embeds
 */
export function uploadImages(
  session: Session<BlueskyCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    const embedded: Json[] = [];
    for (const { bytes, contentType, altText, width, height } of images) {
      const image = await uploadBlob(session, io, { bytes, contentType });
      embedded.push({ image, alt: altText.toWellFormed(), aspectRatio: { width, height } });
    }
    return { $type: 'app.bsky.embed.images', images: embedded };
  });
}

async function uploadBlob(
  session: Session<BlueskyCredential>,
  io: PlatformIo,
  file: { readonly bytes: Uint8Array; readonly contentType: string },
): Promise<Json> {
  const answer = await commandLoggedIn(session, io, 'com.atproto.repo.uploadBlob', { file });
  if (answer.status !== 200) throw failure(answer);
  const uploaded = Uploaded.safeParse(answer.body);
  if (!uploaded.success)
    throw new PlatformFailure('unavailable', 'Bluesky answered without the image it took; nothing was posted.');
  return uploaded.data.blob;
}
