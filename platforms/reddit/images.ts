/** The image of a post: Reddit issues an upload lease, the image is uploaded there, and the post references it. */
import { z } from 'zod';
import { type Json, type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { callPlatform, withoutPublishing } from '../http.ts';
import { failureOf, userAgent } from './api.ts';
import { callLoggedIn, type RedditCredential } from './credential.ts';

/** Stored between the upload and the post. */
const Prepared = z.object({ imageUrl: z.string() });

const Lease = z.object({
  args: z.object({
    /** Upload URL, usually without its scheme. */
    action: z.string(),
    fields: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
});

/**
 * Uploads the only image of a post. This API is undocumented; Reddit's own page uses it.
 *
 * @returns the URL that the post references
 * @throws PlatformFailure; nothing has been published at that point
 */
export function uploadImages(
  session: Session<RedditCredential>,
  images: readonly OutgoingImage[],
  io: PlatformIo,
): Promise<Json> {
  return withoutPublishing(async () => {
    const [image] = images;
    if (image === undefined || images.length > 1) throw new Error('a post on Reddit has one image');
    return { imageUrl: await upload(session, image, io) };
  });
}

/** The URL of the image of {@link uploadImages}. */
export function imageUrlOf(prepared: Json): string {
  return Prepared.parse(prepared).imageUrl;
}

async function upload(session: Session<RedditCredential>, image: OutgoingImage, io: PlatformIo): Promise<string> {
  const filepath = `image.${image.contentType.replace('image/', '')}`;
  const form = { api_type: 'json', filepath, mimetype: image.contentType };
  const leased = await callLoggedIn(session, io, '/api/media/asset.json', { form });
  const refused = failureOf(leased);
  if (refused !== null) throw refused;
  const lease = Lease.safeParse(leased.body).data?.args;
  const key = lease?.fields.find(({ name }) => name === 'key')?.value;
  if (lease === undefined || key === undefined) throw notTaken();
  const address = lease.action.startsWith('//') ? `https:${lease.action}` : lease.action;

  const parts = new FormData();
  for (const { name, value } of lease.fields) parts.append(name, value);
  // Blob does not accept shared memory, so the bytes are copied.
  parts.append('file', new Blob([new Uint8Array(image.bytes)], { type: image.contentType }), filepath);
  const stored = await callPlatform(io, address, {
    method: 'POST',
    headers: { 'user-agent': userAgent(io) },
    body: parts,
  });
  if (stored.status !== 201) throw notTaken();
  return `${address}/${key}`;
}

function notTaken(): PlatformFailure {
  return new PlatformFailure('unavailable', 'Reddit did not take an image; nothing was posted.');
}
