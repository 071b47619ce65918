/**
 * The capabilities of each platform on this install, derived from its facts
 * (docs/contract/connections.md#linking-with-credentials).
 */
import type { ImageFacts } from '../../platforms/contract.ts';
import { PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';
import { connectablePlatforms } from '../connect/connectable-platforms.ts';
import type { Context } from '../context.ts';
import { ALT_TEXT_MAX, IMAGE_MAX_BYTES, IMAGES_PER_POST_MAX } from '../images/limits.ts';
import { missingPageSettings, missingSettings } from '../connections/missing-settings.ts';

export interface PlatformView {
  id: string;
  name: string;
  kind: 'broadcast' | 'messaging';
  text: { maxLength: number; unit: string };
  images: { min?: number; max: number; maxBytes: number; types: string[]; altTextMax: number | null } | null;
  thread: boolean;
  firstComment: boolean;
  delete: boolean;
  permalink: boolean;
  metrics: string[];
  connect: string[];
  apiVersion: string | null;
  missingSettings: string[];
  registerAppAt: string | null;
}

/** Value of `connect` for platforms that the hosted connect page offers. */
const HOSTED = 'page';

export function listPlatforms(context: Context): PlatformView[] {
  const hosted = new Set(connectablePlatforms(context, 'live').map(({ platform }) => platform.id));
  return PLATFORM_IDS.map((id) => {
    const platform = platformOf(context.platforms, id);
    const { name, kind, text, images, thread, firstComment, permalink, metrics, connect, apiVersion } = platform;
    const missing = missingSettings(context, platform);
    return {
      id,
      name,
      kind,
      text: { maxLength: text.maxLength, unit: text.unit.name },
      images: images && imagesView(images),
      thread: thread !== null,
      firstComment: firstComment !== null,
      delete: platform.remove !== undefined,
      permalink,
      metrics: [...metrics],
      connect: missing.length > 0 ? [] : [...connect, ...(hosted.has(id) ? [HOSTED] : [])],
      apiVersion,
      missingSettings: [...new Set([...missing, ...missingPageSettings(context, platform)])],
      registerAppAt: platform.settings?.app?.registerAt ?? null,
    };
  });
}

/**
 * A platform limit above the limits of a request could not be used, so it is not advertised
 * (docs/contract/platforms.md#sandbox).
 */
function imagesView({ min, max, maxBytes, types, altTextMax }: ImageFacts): NonNullable<PlatformView['images']> {
  return {
    ...(min !== undefined && { min }),
    max: Math.min(max, IMAGES_PER_POST_MAX),
    maxBytes: Math.min(maxBytes, IMAGE_MAX_BYTES),
    types: [...types],
    altTextMax: altTextMax && Math.min(altTextMax, ALT_TEXT_MAX),
  };
}
