/**
 * Imitated platforms besides the sandbox. Some calls that create a post are lost, before or after the platform stores it: which
 * ones depends on the seed and the post, not on the order of events.
 */
import { startBlueskyServer } from '../platforms/servers/bluesky.ts';
import { startDiscordServer } from '../platforms/servers/discord.ts';
import { startEmailServer } from '../platforms/servers/email.ts';
import { startFacebookServer } from '../platforms/servers/facebook.ts';
import { startLinkedInServer } from '../platforms/servers/linkedin.ts';
import { startMastodonServer } from '../platforms/servers/mastodon.ts';
import { startNostrServer } from '../platforms/servers/nostr.ts';
import type { PlatformServer } from '../platforms/servers/platform-server.ts';
import { startRedditServer } from '../platforms/servers/reddit.ts';
import { startSlackServer } from '../platforms/servers/slack.ts';
import { startSmsServer } from '../platforms/servers/sms.ts';
import { startTelegramServer } from '../platforms/servers/telegram.ts';
import { startThreadsServer } from '../platforms/servers/threads.ts';
import { startXServer } from '../platforms/servers/x.ts';
import type { WireCall, WireTap } from '../platforms/fakes/wire.ts';
import { markerOf, onPlatform } from './replica.ts';
import { pseudoRandom } from './sampler.ts';

const STARTS = [
  startBlueskyServer,
  startDiscordServer,
  startEmailServer,
  startFacebookServer,
  startLinkedInServer,
  startMastodonServer,
  startNostrServer,
  startRedditServer,
  startSlackServer,
  startSmsServer,
  startTelegramServer,
  startThreadsServer,
  startXServer,
];

/** Calls per thousand that are lost before the platform stores the post, and calls whose answer is lost. */
const LOST_BEFORE = 50;
const LOST_AFTER = 50;

export interface Platforms extends AsyncDisposable {
  readonly all: readonly PlatformServer[];
  /** Settings that point an install to them. */
  readonly env: Readonly<Record<string, string>>;
  /** False: from now on no call is lost. */
  enabled: boolean;
  /** What had a call lost, as {@link onPlatform} names it. */
  readonly lost: ReadonlySet<string>;
  readonly lostCalls: number;
  /** How often each post is on its platform, by what {@link onPlatform} names it. */
  published(): Promise<ReadonlyMap<string, number>>;
}

export async function startPlatforms(seed: string, now: () => Date): Promise<Platforms> {
  const lost = new Set<string>();
  const calls = new Map<string, number>();
  let lostCalls = 0;
  const drawn = new WeakMap<WireCall, 'arrived' | 'decided'>();

  /** The moment at which a call is lost; undefined for most. */
  const draw = (platformId: string, call: WireCall) => {
    // Forms write the mark as %23.
    const mark = markerOf(call.bytes.toString().replaceAll('%23', '#'));
    if (mark === markerOf('') || !platforms.enabled) return;
    const name = onPlatform(platformId, mark);
    const number = calls.get(name) ?? 0;
    calls.set(name, number + 1);
    const roll = 1000 * pseudoRandom(seed, name, String(number));
    if (roll >= LOST_BEFORE + LOST_AFTER) return;
    lost.add(name);
    lostCalls += 1;
    drawn.set(call, roll < LOST_BEFORE ? 'arrived' : 'decided');
  };

  const all = await Promise.all(
    STARTS.map(async (start) => {
      let platformId = '';
      const tap: WireTap = async (moment, call) => {
        if (moment === 'arrived') draw(platformId, call);
        return drawn.get(call) === moment ? 'lost' : undefined;
      };
      const server = await start({ now, tap });
      ({ platformId } = server);
      return server;
    }),
  );

  const platforms: Platforms = {
    all,
    env: Object.assign({}, ...all.map(({ env }) => env)),
    enabled: true,
    lost,
    get lostCalls() {
      return lostCalls;
    },
    published: async () => {
      const counts = new Map<string, number>();
      for (const { platformId, existing } of all) {
        for (const text of await existing()) {
          const name = onPlatform(platformId, markerOf(text));
          counts.set(name, (counts.get(name) ?? 0) + 1);
        }
      }
      return counts;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map((server) => server.close()));
    },
  };
  return platforms;
}
