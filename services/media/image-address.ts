/**
 * Signed public urls at which platforms fetch images (docs/contract/media.md#uploads). They are valid for an hour. A
 * url contains everything that decides what is served, so any web process serves it and nothing is stored.
 */
import type { ItemError } from '../../errors/item-error.ts';
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { isPublicHost } from '../public-host.ts';

/** Path prefix of the urls. */
export const PUBLIC_IMAGES_PATH = '/media/public';

/** Validity of a url in seconds: sending takes one minute, and platforms that process for longer fetch again. */
const LIFE_SECONDS = 3_600;

/** The parts of a url. */
export interface ImageAddress {
  /** The platform whose limits the image must meet. */
  readonly platformId: string;
  readonly mediaId: string;
  /** Unix seconds from which the url is no longer valid. */
  readonly expires: string;
}

/** The url of the image as the platform accepts it. */
export function publicImageUrl(context: Context, platformId: string, mediaId: string): string {
  const expires = String(Math.floor(context.clock.now().getTime() / 1_000) + LIFE_SECONDS);
  const signature = context.signer.sign('imageAddress', signedText({ platformId, mediaId, expires }));
  const query = new URLSearchParams({ expires, signature }).toString();
  return `${context.config.publicUrl}${PUBLIC_IMAGES_PATH}/${platformId}/${mediaId}?${query}`;
}

/** Whether this install created the url, and it is still valid. */
export function isGoodAddress(context: Context, address: ImageAddress, signature: string): boolean {
  const isOurs = context.signer.isSigned('imageAddress', signedText(address), signature);
  return isOurs && context.clock.now().getTime() < Number(address.expires) * 1_000;
}

/**
 * @returns null when the platform's server can fetch images from this install, or has none to fetch; otherwise
 * platform_rejected
 */
export function unreachableImages(context: Context, platform: AnyPlatform, count: number): ItemError | null {
  const { fetchedBy } = platform.images ?? {};
  if (fetchedBy === undefined || count === 0) return null;
  const { publicUrl, endpoints } = context.config;
  // A server that replaces the platform, as in tests, also reaches local addresses.
  if (!isPublicOrigin(endpoints[fetchedBy]) || isPublicOrigin(publicUrl)) return null;
  const message = `${platform.name} fetches images from this install over https and needs a public host; PUBLIC_URL is ${publicUrl}. Have the operator set PUBLIC_URL to the install's public https address.`;
  return { code: 'platform_rejected', message };
}

function signedText({ platformId, mediaId, expires }: ImageAddress): string {
  return JSON.stringify([platformId, mediaId, expires]);
}

function isPublicOrigin(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' && isPublicHost(hostname);
}
