/** Images of a status: uploaded first, then attached by id after the server has processed them. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { stringField, withoutPublishing } from '../http.ts';
import { type Access, callMastodon, failure } from './api.ts';

/** Stored between the upload and the status. */
const Prepared = z.object({ mediaIds: z.array(z.string()) });

/** Waits between status checks of an image that is being processed, in milliseconds; short ones first. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3_000;

/** Number of checks after which the upload fails; about three minutes in total. */
const LOOKS_MAX = 60;

/**
 * Uploads images and waits until they can be attached.
 *
 * @returns their ids
 * @throws PlatformFailure; nothing has been published at that point
 * @see https://docs.joinmastodon.org/methods/media/#v2
 */
export function uploadImages(
  { credential }: Session<Access>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    const mediaIds: string[] = [];
    for (const image of images) mediaIds.push(await uploadImage(credential, image, io));
    return { mediaIds };
  });
}

/** The ids of the images of {@link uploadImages}. */
export function mediaIdsOf(prepared: Json): readonly string[] {
  return Prepared.parse(prepared).mediaIds;
}

async function uploadImage(access: Access, image: OutgoingImage, io: PlatformIo): Promise<string> {
  const form = new FormData();
  // Blob does not accept shared memory, so the bytes are copied.
  form.append(
    'file',
    new Blob([new Uint8Array(image.bytes)], { type: image.contentType }),
    `image.${image.contentType.replace('image/', '')}`,
  );
  if (image.altText !== '') form.append('description', image.altText.toWellFormed());
  const answer = await callMastodon(io, access, '/api/v2/media', { method: 'POST', form });
  const id = stringField(answer.body, 'id');
  if (answer.status !== 200 && answer.status !== 202) throw failure(answer);
  if (id === undefined)
    throw new PlatformFailure(
      'unavailable',
      'The Mastodon server answered without the image it took; nothing was posted.',
    );
  if (answer.status === 202) await untilProcessed(access, id, io);
  return id;
}

async function untilProcessed(access: Access, id: string, io: PlatformIo): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    await io.sleep(waitMs, io.signal).catch((cause: unknown) => {
      throw stillProcessing(cause);
    });
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
    const answer = await callMastodon(io, access, `/api/v1/media/${encodeURIComponent(id)}`);
    if (answer.status === 200) return;
    if (answer.status !== 206) throw failure(answer);
  }
  throw stillProcessing();
}

function stillProcessing(cause?: unknown): PlatformFailure {
  return new PlatformFailure('unavailable', 'The Mastodon server is still processing an image; nothing was posted.', {
    cause,
  });
}
