/**
 * Fetches an image from a caller's url through the outbound guard. Neither the first request nor a redirect reaches an
 * address that is not public, and the other side controls neither size nor time.
 */
import { ServiceError } from '../../errors/service-error.ts';
import { NotSentError } from '../../platforms/http.ts';
import type { Context } from '../context.ts';
import { sniffFormat } from '../images/formats/index.ts';
import type { ImageType } from '../../entities/media.ts';
import { fetchRedirected, tooManyRedirects } from '../outbound/fetch-redirected.ts';
import { formatBytes, IMAGE_MAX_BYTES } from '../images/limits.ts';

/** Most characters of a url. */
export const IMAGE_URL_MAX = 2_000;

/** Real time for the whole fetch, redirects included. */
const TIMEOUT_MS = 20_000;

/** Size at which the outbound guard aborts: above the limit checked here, which has the better error message. */
const GUARD_MAX_BYTES = 2 * IMAGE_MAX_BYTES;

export interface FetchedImage {
  readonly bytes: Buffer;
  /** Type detected from the first bytes. Servers often name another type, or none. */
  readonly contentType: ImageType;
}

/** @throws ServiceError media_unreachable, media_too_large or media_type_mismatch */
export async function fetchImage(context: Context, address: string): Promise<FetchedImage> {
  const signal = context.clock.deadline(TIMEOUT_MS);
  try {
    const response = await follow(context, requireUrl(address), signal);
    const bytes = await readImage(response);
    const format = sniffFormat(bytes);
    if (format === undefined)
      throw new ServiceError('media_type_mismatch', 'url: what it answers is no PNG, JPEG, GIF or WebP.');
    return { bytes, contentType: format.type };
  } catch (error) {
    throw error instanceof ServiceError ? error : unreachable(error, signal);
  }
}

async function follow(context: Context, first: URL, signal: AbortSignal): Promise<Response> {
  const headers = { accept: 'image/png, image/jpeg, image/gif, image/webp' };
  const reached = await fetchRedirected(context, first, { headers, signal, maxResponseBytes: GUARD_MAX_BYTES });
  if (reached === null) throw refused(tooManyRedirects(first));
  const { response, host } = reached;
  if (response.status === 200) return response;
  await response.body?.cancel();
  const retryable = response.status === 429 || response.status >= 500;
  throw refused(`${host} answered HTTP ${response.status}`, { retryable });
}

async function readImage({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > IMAGE_MAX_BYTES)
      throw new ServiceError('media_too_large', `url: the image has more than ${formatBytes(IMAGE_MAX_BYTES)}.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requireUrl(address: string): URL {
  if (URL.canParse(address)) return new URL(address);
  throw new ServiceError('invalid_request', 'url: expected an address such as https://bells.example/bell.png.');
}

function unreachable(error: unknown, signal: AbortSignal): ServiceError {
  if (signal.aborted)
    return refused(`the image was not there within ${TIMEOUT_MS / 1000} seconds`, { retryable: true });
  return refused(error instanceof NotSentError ? error.message : 'the answer broke off', { cause: error });
}

function refused(why: string, options: { readonly retryable?: boolean; readonly cause?: unknown } = {}): ServiceError {
  return new ServiceError('media_unreachable', `url: ${why.replace(/\.$/, '')}.`, options);
}
