/** Images of a post: uploaded first, then attached by id with their alt text. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, isProxyPage, withoutPublishing } from '../http.ts';
import { failure, isOk } from './api.ts';
import { callLoggedIn, type LinkedInCredential, withAccessToken } from './credential.ts';

/** Stored between the uploads and the post. */
const Prepared = z.object({ images: z.array(z.object({ id: z.string(), altText: z.string().optional() })) });

const Initialized = z.object({ value: z.object({ uploadUrl: z.url(), image: z.string() }) });
const Status = z.object({ status: z.string() });

/** Wait between two status checks of an image that is being processed. */
const LOOK_MS = 1_000;

/** Number of status checks after which the upload fails. */
const LOOKS_MAX = 30;

/** Wait for an image whose status is unknown. */
const UNSEEN_MS = 3_000;

/**
 * Uploads images on behalf of the author of the post.
 *
 * @returns their ids, as the post references them
 * @throws PlatformFailure; nothing has been published at that point
 * @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api
 */
export function uploadImages(
  session: Session<LinkedInCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    const uploaded = [];
    for (const image of images) {
      const id = await upload(session, image, io);
      uploaded.push({ id, ...(image.altText !== '' && { altText: image.altText.toWellFormed() }) });
    }
    let isSeen = true;
    for (const { id } of uploaded) isSeen &&= await untilProcessed(session, id, io);
    if (!isSeen) await awaitUnreadyImages(io);
    return { images: uploaded };
  });
}

/** The `content` of a post with the images of {@link uploadImages}. */
export function contentOf(prepared: Json): object {
  const { images } = Prepared.parse(prepared);
  const [only, second] = images;
  return second === undefined ? { media: only } : { multiImage: { images } };
}

async function upload(session: Session<LinkedInCredential>, image: OutgoingImage, io: PlatformIo): Promise<string> {
  const json = { initializeUploadRequest: { owner: session.platformAccountId } };
  const answer = await callLoggedIn(session, io, '/rest/images?action=initializeUpload', { method: 'POST', json });
  if (!isOk(answer)) throw failure(answer);
  const initialized = Initialized.safeParse(answer.body);
  if (!initialized.success) {
    throw new PlatformFailure('unavailable', 'LinkedIn named no place for an image; nothing was posted.');
  }
  const { uploadUrl, image: id } = initialized.data.value;
  const put = await withAccessToken(session, io, (accessToken) => {
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': image.contentType };
    return callPlatform(io, uploadUrl, { method: 'PUT', headers, body: image.bytes });
  });
  if (!isOk(put)) throw failure(put);
  return id;
}

/** False when this credential may not read the status, as is usual for members. */
async function untilProcessed(session: Session<LinkedInCredential>, id: string, io: PlatformIo): Promise<boolean> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const answer = await callLoggedIn(session, io, `/rest/images/${encodeURIComponent(id)}`);
    if (answer.status === 403 && !isProxyPage(answer)) return false;
    if (!isOk(answer)) throw failure(answer);
    const status = Status.safeParse(answer.body).data?.status;
    if (status === 'AVAILABLE') return true;
    if (status === 'PROCESSING_FAILED') {
      throw new PlatformFailure('rejected', 'LinkedIn refused: it could not process an image.');
    }
    await pause(LOOK_MS, io);
  }
  throw stillProcessing();
}

/**
 * Waits for images that LinkedIn calls unready without a status.
 *
 * @throws PlatformFailure at the end of the send; nothing has been published at that point
 */
export function awaitUnreadyImages(io: PlatformIo): Promise<void> {
  return pause(UNSEEN_MS, io);
}

async function pause(ms: number, io: PlatformIo): Promise<void> {
  await io.sleep(ms, io.signal).catch((cause: unknown) => {
    throw stillProcessing(cause);
  });
}

function stillProcessing(cause?: unknown): PlatformFailure {
  return new PlatformFailure('unavailable', 'LinkedIn is still processing an image; nothing was posted.', { cause });
}
