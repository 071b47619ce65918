/** Images of a post: uploaded as unpublished photos, then attached to the post by id. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { stringField, withoutPublishing } from '../http.ts';
import { callGraph, failure, type PageCredential } from './api.ts';

/** Stored between the uploads and the post. Facebook deletes photos after a day if no post uses them. */
const Prepared = z.object({ photoIds: z.array(z.string()) });

/**
 * Uploads images as unpublished photos.
 *
 * @returns their ids
 * @throws PlatformFailure; nothing has been published at that point
 * @see https://developers.facebook.com/docs/graph-api/reference/page/photos/
 */
export function uploadImages(
  { credential }: Session<PageCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    const photoIds: string[] = [];
    for (const image of images) photoIds.push(await uploadImage(credential, image, io));
    return { photoIds };
  });
}

/** The photos of {@link uploadImages}, in the form that a post references them. */
export function attachedMedia(prepared: Json): { media_fbid: string }[] {
  return Prepared.parse(prepared).photoIds.map((id) => ({ media_fbid: id }));
}

async function uploadImage(credential: PageCredential, image: OutgoingImage, io: PlatformIo): Promise<string> {
  const form = new FormData();
  form.append('published', 'false');
  if (image.altText !== '') form.append('alt_text_custom', image.altText.toWellFormed());
  // Blob does not accept shared memory, so the bytes are copied.
  const file = new Blob([new Uint8Array(image.bytes)], { type: image.contentType });
  form.append('source', file, `image.${image.contentType.replace('image/', '')}`);
  const path = `${encodeURIComponent(credential.pageId)}/photos`;
  const answer = await callGraph(io, credential, path, { method: 'POST', form });
  if (answer.status !== 200) throw failure(answer);
  const id = stringField(answer.body, 'id');
  if (id !== undefined) return id;
  throw new PlatformFailure('unavailable', 'Facebook answered without the image it took; nothing was posted.');
}
