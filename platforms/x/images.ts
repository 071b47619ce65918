/** Images of a post: uploaded first, described, then attached by id. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { type PlatformAnswer, withoutPublishing } from '../http.ts';
import { failure, isOk } from './api.ts';
import { covers } from '../scopes.ts';
import { callLoggedIn, type XCredential } from './credential.ts';

/** Stored between the upload and the post. */
const Prepared = z.object({ mediaIds: z.array(z.string()) });

const Uploaded = z.object({
  data: z.object({
    id: z.string(),
    processing_info: z
      .object({
        state: z.string(),
        check_after_secs: z.number().positive().optional(),
      })
      .optional(),
  }),
});
type Uploaded = z.infer<typeof Uploaded>['data'];

/** Scope that uploads require. */
const IMAGES = 'media.write';

/** States in which an image cannot be attached yet. */
const UNFINISHED = ['pending', 'in_progress'];

/** Default and maximum wait between two status checks of an image, in seconds. */
const WAIT_S = 1;
const LONGEST_WAIT_S = 5;

/** Number of status checks after which the upload fails. */
const LOOKS_MAX = 30;

/**
 * Uploads images with their alt text. X deletes an upload within a day if no post uses it.
 *
 * @returns their ids
 * @throws PlatformFailure; nothing has been published at that point
 * @see https://docs.x.com/x-api/media/quickstart/media-upload-chunked
 */
export function uploadImages(
  session: Session<XCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    if (!covers(session.credential, IMAGES)) {
      throw new PlatformFailure(
        'reconnect',
        `This credential does not cover images on X (${IMAGES}): connect the account again.`,
      );
    }
    const mediaIds: string[] = [];
    for (const image of images) mediaIds.push(await uploadImage(session, image, io));
    return { mediaIds };
  });
}

/** The ids of the images of {@link uploadImages}. */
export function mediaIdsOf(prepared: Json): readonly string[] {
  return Prepared.parse(prepared).mediaIds;
}

async function uploadImage(session: Session<XCredential>, image: OutgoingImage, io: PlatformIo): Promise<string> {
  const form = new FormData();
  // Blob does not accept shared memory, so the bytes are copied.
  form.append('media', new Blob([new Uint8Array(image.bytes)], { type: image.contentType }), 'image');
  form.append('media_category', 'tweet_image');
  const uploaded = uploadedOf(await callLoggedIn(session, io, '/2/media/upload', { method: 'POST', form }));
  await untilProcessed(session, uploaded, io);
  if (image.altText !== '') await describe(session, uploaded.id, image.altText.toWellFormed(), io);
  return uploaded.id;
}

async function untilProcessed(session: Session<XCredential>, uploaded: Uploaded, io: PlatformIo): Promise<void> {
  let info = uploaded.processing_info;
  for (let look = 0; info !== undefined && UNFINISHED.includes(info.state); look += 1) {
    if (look === LOOKS_MAX) throw stillProcessing();
    const waitMs = Math.min(info.check_after_secs ?? WAIT_S, LONGEST_WAIT_S) * 1_000;
    await io.sleep(waitMs, io.signal).catch((cause: unknown) => {
      throw stillProcessing(cause);
    });
    const path = `/2/media/upload?command=STATUS&media_id=${encodeURIComponent(uploaded.id)}`;
    info = uploadedOf(await callLoggedIn(session, io, path)).processing_info;
  }
  if (info?.state === 'failed') throw new PlatformFailure('rejected', 'X refused: it could not process an image.');
}

async function describe(session: Session<XCredential>, id: string, text: string, io: PlatformIo): Promise<void> {
  const json = { id, metadata: { alt_text: { text } } };
  const answer = await callLoggedIn(session, io, '/2/media/metadata', { method: 'POST', json });
  if (!isOk(answer)) throw failure(answer);
}

function uploadedOf(answer: PlatformAnswer): Uploaded {
  if (!isOk(answer)) throw failure(answer);
  const uploaded = Uploaded.safeParse(answer.body);
  if (uploaded.success) return uploaded.data.data;
  throw new PlatformFailure('unavailable', 'X answered without the image it took; nothing was posted.');
}

function stillProcessing(cause?: unknown): PlatformFailure {
  return new PlatformFailure('unavailable', 'X is still processing an image; nothing was posted.', { cause });
}
