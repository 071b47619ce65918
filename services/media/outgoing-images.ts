/**
 * Prepares the images of a post for a platform: converted to what it accepts, without metadata about location and
 * camera.
 */
import { column, columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { type AnyPlatform, type ImageFacts, type OutgoingImage, PlatformFailure } from '../../platforms/contract.ts';
import { graphemesOf } from '../../platforms/text.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { noLongerStoredMessage } from './hold-images.ts';
import { publicImageUrl } from './image-address.ts';
import { SENDS } from '../images/image-work.ts';
import { DAMAGED_MESSAGE, DamagedImage, readStoredImage, STORED_IMAGE_COLUMNS } from './read-stored-image.ts';
import { formatBytes } from '../images/limits.ts';

/**
 * Real milliseconds for reading and converting all images of a post, below the lease of a send: the largest image over the
 * slowest link of docs/operations.md#a-slow-link-to-s3, or five of the largest over one of 12 Mbit/s.
 */
export const IMAGES_MS = 40_000;

const MEDIA = columns('media', ['account_id', 'content_type', 'state', ...STORED_IMAGE_COLUMNS], 'm');

// The alternative text of a post overrides that of the upload. Every send runs this statement.
const findImages = statement('find the images of a post', {
  parameters: { postId: 'uuid' },
  result: {
    ...MEDIA.types,
    alt_text: column('media', 'alt_text'),
    limits: column('connections', 'limits'),
  },
  sql: ({ postId }) => `
    select ${MEDIA.sql}, coalesce(u.alt_text, m.alt_text) as alt_text, c.limits
    from post_media u join media m on m.id = u.media_id join posts p on p.id = u.post_id
    join connections c on c.id = p.connection_id
    where u.post_id = ${postId} order by u.position`,
});

type ImageRow = RowOf<typeof findImages>;

/**
 * @returns the post's images, in order
 * @throws PlatformFailure `rejected` when an image was freed or deleted meanwhile, or cannot be converted into what the
 * platform accepts; `unavailable` when that took too long. Nothing was published by then.
 */
export async function outgoingImages(
  context: Context,
  postId: string,
  platform: AnyPlatform,
): Promise<OutgoingImage[]> {
  const rows = await findImages(context.db.em(), { postId });
  if (rows.length === 0) return [];
  if (platform.images === null) throw new PlatformFailure('rejected', `${platform.name} does not support images.`);
  const limited = { ...platform.images, ...rows[0]?.limits?.images };
  const alone = rows.length === 1 ? (limited.typesAlone ?? []) : [];
  const facts = { ...limited, types: [...limited.types, ...alone] };
  if (rows.length > facts.max) {
    throw new PlatformFailure(
      'rejected',
      `The post has ${rows.length} images; ${platform.name} takes at most ${facts.max}.`,
    );
  }
  const signal = context.clock.deadline(IMAGES_MS);
  const images: OutgoingImage[] = [];
  for (const [index, row] of rows.entries()) {
    images.push(await outgoingImage(context, row, { facts, signal, platform, position: index + 1 }));
  }
  return images;
}

interface Target {
  readonly facts: ImageFacts;
  readonly signal: AbortSignal;
  readonly platform: AnyPlatform;
  /** Position of the image in the post, from 1; for messages. */
  readonly position: number;
}

async function outgoingImage(context: Context, row: ImageRow, target: Target): Promise<OutgoingImage> {
  const { facts, signal, platform, position } = target;
  const load = async (reading?: AbortSignal) => {
    const bytes = row.state === 'stored' ? await readStoredImage(context, row, reading) : null;
    if (bytes === null) throw noLongerStored(position);
    return bytes;
  };
  const place = { owner: row.account_id, limit: SENDS, signal };
  const conversion = { type: row.content_type, facts, load };
  const converted = await context.images.convert(place, conversion).catch((cause: unknown) => {
    throw cause instanceof PlatformFailure ? cause : notConverted(context, row.id, target, cause);
  });
  if (converted === null)
    throw new PlatformFailure(
      'rejected',
      `Image ${position} cannot be made into one that ${platform.name} takes: ${formatLimit(facts)}.`,
    );
  const image = { mediaId: row.id, ...converted, altText: shortened(row.alt_text ?? '', facts.altTextMax) };
  return facts.fetchedBy === undefined ? image : { ...image, url: publicImageUrl(context, platform.id, row.id) };
}

/** Nothing was posted, and the next try may have more time, more memory or another answer of the storage. */
function notConverted(
  context: Context,
  mediaId: string,
  { position, signal }: Target,
  cause: unknown,
): PlatformFailure {
  const code = cause instanceof ServiceError ? cause.code : null;
  const because = (why: string) => new PlatformFailure('unavailable', why, { cause });
  if (code === 'storage_unavailable' && !(cause instanceof DamagedImage)) {
    context.log.warn({ mediaId, err: cause }, 'an image of a post could not be read from its storage');
    return because(`Image ${position} could not be read from the storage of this install; nothing was posted.`);
  }
  if (signal.aborted) return because(`Converting image ${position} took too long; nothing was posted.`);
  context.log.warn({ mediaId, err: cause }, 'an image of a post could not be converted');
  const isBusy = cause instanceof ServiceError && code === 'server_busy';
  const why = isBusy ? cause.message : DAMAGED_MESSAGE;
  return because(`Image ${position} could not be converted now; nothing was posted. ${why}`);
}

function noLongerStored(position: number): PlatformFailure {
  return new PlatformFailure('rejected', noLongerStoredMessage(position));
}

function formatLimit({ maxBytes, types }: ImageFacts): string {
  return `at most ${formatBytes(maxBytes)}, as ${types.map((type) => type.replace('image/', '').toUpperCase()).join(', ')}`;
}

/** Cuts a text to the platform's limit, between graphemes; empty when the platform accepts none. */
function shortened(text: string, max: number | null): string {
  if (max === null) return '';
  if (text.length <= max) return text;
  let kept = '';
  for (const { segment } of graphemesOf(text)) {
    if (kept.length + segment.length > max - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
