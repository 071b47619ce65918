/** Uploads an image with POST /media, as bytes and not as base64. */
import type { CarillonClient } from './create-client.ts';
import { type ConnectionOptions, connectionOf, errorOfAnswer, answered, send } from './connection.ts';
import type { Outputs } from './api-types.ts';
import { imageTypeOf } from './image-type.ts';

export interface UploadOptions {
  /** What the image shows, at most 1000 characters. */
  readonly altText?: string;
  /** Default: the type of the Blob, else what the first bytes say. */
  readonly contentType?: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Ends the upload. */
  readonly signal?: AbortSignal;
}

/**
 * Uploads a PNG, JPEG, GIF or WebP of at most 8 MiB. It is not repeated after a failure: each upload is a new image.
 *
 * @param target a client, or its options
 * @param image a stream is read completely before it is sent
 * @returns the image; its `id` goes into `mediaIds` or `media` of a post
 * @throws CarillonError, NoAnswerError; TypeError for what is no image
 */
export async function uploadMedia(
  target: CarillonClient | ConnectionOptions,
  image: Blob | Uint8Array | ReadableStream<Uint8Array>,
  { altText, contentType, signal }: UploadOptions = {},
): Promise<Outputs['media']['upload']['media']> {
  const connection = connectionOf(target);
  // Only some runtimes send a stream, and some of those only over HTTP/2.
  const body =
    image instanceof Blob
      ? image
      : await new Response(image as Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>).blob();
  // A runtime may give text/plain as the type of what it read.
  const named = image instanceof Blob && image.type.startsWith('image/') ? image.type : undefined;
  const type = contentType ?? named ?? (await imageTypeOf(body));
  if (type === undefined) {
    throw new TypeError('Expected a PNG, JPEG, GIF or WebP image. Name its type with contentType if it is one.');
  }
  const url = new URL('/api/v2/media', connection.url);
  if (altText !== undefined) url.searchParams.set('altText', altText);
  const headers = { ...(await connection.credential()), 'content-type': type };
  const response = await send(connection, url.href, { method: 'POST', headers, body, signal: signal ?? null });
  if (!response.ok) throw await errorOfAnswer(connection, response);
  const answer = await answered(url.href, signal, () => response.json() as Promise<Outputs['media']['upload']>);
  return answer.media;
}
