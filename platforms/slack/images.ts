/** Images of a message: uploaded first, and invisible until a message references them. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, retryAfterMsOf, withoutPublishing } from '../http.ts';
import { callSlack, failure, type SlackCredential } from './api.ts';

/** Stored between the uploads and the message. */
const Prepared = z.object({ fileIds: z.array(z.string()) });

const Place = z.object({ upload_url: z.url(), file_id: z.string() });

/**
 * Uploads the bytes of images. Slack drops files that are never completed.
 *
 * @returns their ids
 * @throws PlatformFailure; nothing has been published at that point
 * @see https://docs.slack.dev/reference/methods/files.getUploadURLExternal
 */
export function uploadImages(
  { credential }: Session<SlackCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    const fileIds: string[] = [];
    for (const [index, image] of images.entries()) fileIds.push(await uploadImage(credential, image, index, io));
    return { fileIds };
  });
}

/** The files of {@link uploadImages}, in the form that the publishing call references them. */
export function filesOf(prepared: Json): { id: string }[] {
  return Prepared.parse(prepared).fileIds.map((id) => ({ id }));
}

async function uploadImage(
  credential: SlackCredential,
  image: OutgoingImage,
  index: number,
  io: PlatformIo,
): Promise<string> {
  const form = {
    filename: `image-${index + 1}.${image.contentType.replace('image/', '')}`,
    length: String(image.bytes.length),
    ...(image.altText !== '' && { alt_txt: image.altText.toWellFormed() }),
  };
  const answer = await callSlack(io, credential.botToken, 'files.getUploadURLExternal', { form });
  if (!answer.isOk) throw failure(answer);
  const place = Place.safeParse(answer.body);
  if (!place.success)
    throw new PlatformFailure('unavailable', 'Slack named no place for an image; nothing was posted.');
  // The upload URL is itself a secret, so no token is sent to it.
  const headers = { 'content-type': 'application/octet-stream' };
  const uploaded = await callPlatform(io, place.data.upload_url, { method: 'POST', headers, body: image.bytes });
  if (uploaded.status === 200) return place.data.file_id;
  const message = `Slack answered an image with HTTP ${uploaded.status}; nothing was posted.`;
  if (uploaded.status === 413) throw new PlatformFailure('rejected', message);
  throw new PlatformFailure('unavailable', message, { retryAfterMs: retryAfterMsOf(uploaded) });
}
