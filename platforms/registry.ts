/** Every platform, by id. Code that lists the service's platforms or capabilities reads them here. */
import type { AnyPlatform } from './contract.ts';
import { gatePlatform } from './gate.ts';
import type { PlatformSettings } from './settings.ts';
import type { Timeline } from './timeline.ts';

/** The platforms in display order, one line for each. Adding one: docs/platforms/adding.md. */
const PLATFORMS = byId({
  bluesky: (await import('./bluesky/index.ts')).bluesky,
  mastodon: (await import('./mastodon/index.ts')).mastodon,
  linkedin: (await import('./linkedin/index.ts')).linkedin,
  facebook: (await import('./facebook/index.ts')).facebook,
  instagram: (await import('./instagram/index.ts')).instagram,
  threads: (await import('./threads/index.ts')).threads,
  nostr: (await import('./nostr/index.ts')).nostr,
  x: (await import('./x/index.ts')).x,
  reddit: (await import('./reddit/index.ts')).reddit,
  telegram: (await import('./telegram/index.ts')).telegram,
  discord: (await import('./discord/index.ts')).discord,
  slack: (await import('./slack/index.ts')).slack,
  sms: (await import('./sms/index.ts')).sms,
  email: (await import('./email/index.ts')).email,
  sandbox: (await import('./sandbox/index.ts')).sandbox,
});

/** The platform for test keys. It has no server; its posts are stored in this install. */
interface TestPlatform {
  create(timeline: Timeline): AnyPlatform;
}

/** Keeps the ids, and forgets the types of credentials: they would become part of the client's type declarations. */
function byId<Id extends string>(
  platforms: Readonly<Record<Id, AnyPlatform | TestPlatform>>,
): Readonly<Record<Id, AnyPlatform | TestPlatform>> {
  return platforms;
}

export type PlatformId = keyof typeof PLATFORMS;

export type PlatformRegistry = Readonly<Record<PlatformId, AnyPlatform>>;

/** In display order. */
export const PLATFORM_IDS = Object.keys(PLATFORMS) as PlatformId[];

const entries = Object.entries<AnyPlatform | TestPlatform>(PLATFORMS);

/** The only platform that test keys can use. */
export const TEST_PLATFORM = entries.find(([, platform]) => 'create' in platform)?.[0] as PlatformId;

/** What the platforms read from the environment, in display order. Some platforms share one app. */
export const PLATFORM_SETTINGS: readonly PlatformSettings[] = [
  ...new Set(
    entries.flatMap(([, entry]) => ('settings' in entry && entry.settings !== undefined ? [entry.settings] : [])),
  ),
];

/** Every adapter, wrapped by the gate for platform data. */
export function createRegistry(timeline: Timeline): PlatformRegistry {
  const gated = entries.map(([id, entry]) => {
    return [id, gatePlatform('create' in entry ? entry.create(timeline) : entry)] as const;
  });
  return Object.fromEntries(gated) as PlatformRegistry;
}

/** Looks up a platform by the id that is stored with a connection. */
export function platformOf(registry: PlatformRegistry, id: string): AnyPlatform {
  const platform = registry[id as PlatformId];
  if (platform === undefined) throw new Error(`no platform is called ${id}`);
  return platform;
}
