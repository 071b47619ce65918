/** Every platform, by id. Code that lists the service's platforms or capabilities reads them here. */
import { bluesky } from './bluesky/index.ts';
import type { AnyPlatform } from './contract.ts';
import { discord } from './discord/index.ts';
import { email } from './email/index.ts';
import { facebook } from './facebook/index.ts';
import { gatePlatform } from './gate.ts';
import { instagram } from './instagram/index.ts';
import { linkedin } from './linkedin/index.ts';
import { mastodon } from './mastodon/index.ts';
import { reddit } from './reddit/index.ts';
import { createSandbox } from './sandbox/index.ts';
import type { SandboxTimeline } from './sandbox/timeline.ts';
import { slack } from './slack/index.ts';
import { sms } from './sms/index.ts';
import { telegram } from './telegram/index.ts';
import { threads } from './threads/index.ts';
import { x } from './x/index.ts';

/** The platforms in display order. */
export const PLATFORM_IDS = [
  'bluesky',
  'mastodon',
  'linkedin',
  'facebook',
  'instagram',
  'threads',
  'x',
  'reddit',
  'telegram',
  'discord',
  'slack',
  'sms',
  'email',
  'sandbox',
] as const;
export type PlatformId = (typeof PLATFORM_IDS)[number];

/** The only platform that test keys can use. */
export const TEST_PLATFORM: PlatformId = 'sandbox';

export type PlatformRegistry = Readonly<Record<PlatformId, AnyPlatform>>;

/** Every adapter, wrapped by the gate for platform data. */
export function createRegistry(timeline: SandboxTimeline): PlatformRegistry {
  const adapters: PlatformRegistry = {
    bluesky,
    mastodon,
    linkedin,
    facebook,
    instagram,
    threads,
    x,
    reddit,
    telegram,
    discord,
    slack,
    sms,
    email,
    sandbox: createSandbox(timeline),
  };
  const gated = Object.entries(adapters).map(([id, adapter]) => [id, gatePlatform(adapter)] as const);
  return Object.fromEntries(gated) as PlatformRegistry;
}

/** Looks up a platform by the id that is stored with a connection. */
export function platformOf(registry: PlatformRegistry, id: string): AnyPlatform {
  const platform = registry[id as PlatformId];
  if (platform === undefined) throw new Error(`no platform is called ${id}`);
  return platform;
}
