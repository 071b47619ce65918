/** What a row asks for: a post as POST /posts takes it, with images by id or address. */
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { fetchImage } from '../media/fetch-image.ts';
import { uploadMedia } from '../media/upload-media.ts';
import type { CreatePostsInput } from '../posts/check-slugs.ts';
import type { ImageToFetch } from '../posts/validate-posts.ts';

/** An image of the install, or one to fetch. */
export interface ImportImage {
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly altText?: string | undefined;
}

export interface ImportPost extends Omit<CreatePostsInput, 'media' | 'replaces'> {
  readonly images?: readonly ImportImage[] | undefined;
}

type Media = NonNullable<CreatePostsInput['media']>;

/** The post with the images that are stored, and those that an import would fetch, for a dry run. */
export function withKnownImages({ images = [], ...post }: ImportPost): {
  input: CreatePostsInput;
  toFetch: ImageToFetch[];
} {
  const media: Media = images.flatMap(({ id, altText }) => (id === undefined ? [] : [{ id, altText }]));
  const toFetch = images.flatMap(({ id, altText = null }, position) =>
    id === undefined ? [{ position, altText }] : [],
  );
  return { input: media.length === 0 ? post : { ...post, media }, toFetch };
}

/**
 * The post with its images fetched and stored. Those that a crash leaves without a post are freed like other unused
 * uploads.
 *
 * @throws ServiceError media_unreachable, media_too_large, media_type_mismatch, storage_full
 */
export async function withFetchedImages(
  context: Context,
  caller: Caller,
  { images = [], ...post }: ImportPost,
): Promise<CreatePostsInput> {
  if (images.length === 0) return post;
  const media: Media = await Promise.all(
    images.map(async ({ id, url, altText }) => {
      if (id !== undefined) return { id, altText };
      const image = await fetchImage(context, url ?? '');
      const stored = await uploadMedia(context, caller, { ...image, altText: altText ?? null });
      return { id: stored.id };
    }),
  );
  return { ...post, media };
}
