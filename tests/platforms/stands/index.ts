/** The fake servers of all platforms at once, and the settings that point an install to them. */
import { startBlueskyStand } from './bluesky.ts';
import { startDiscordStand } from './discord.ts';
import { startEmailStand } from './email.ts';
import { startFacebookStand } from './facebook.ts';
import { isOfInstagram, startInstagramStand } from './instagram.ts';
import { startLinkedInStand } from './linkedin.ts';
import { startMastodonStand } from './mastodon.ts';
import { startRedditStand } from './reddit.ts';
import { startSlackStand } from './slack.ts';
import { startSmsStand } from './sms.ts';
import { startTelegramStand } from './telegram.ts';
import { startThreadsStand } from './threads.ts';
import { startXStand } from './x.ts';
import { startMetaFront } from './meta-front.ts';
import type { Stand, StandOptions } from './stand.ts';

/** Every platform except the sandbox, which is part of the install; in the order of the registry. */
const STARTS = [
  startBlueskyStand,
  startMastodonStand,
  startLinkedInStand,
  startFacebookStand,
  startInstagramStand,
  startThreadsStand,
  startXStand,
  startRedditStand,
  startTelegramStand,
  startDiscordStand,
  startSlackStand,
  startSmsStand,
  startEmailStand,
] as const;

export interface Stands extends AsyncDisposable {
  readonly all: readonly Stand[];
  /** Settings that point an install to all of them. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param firstPort first of consecutive ports, one per server; any free ports when absent */
export async function startStands({ now, reach, publicUrl }: StandOptions, firstPort?: number): Promise<Stands> {
  const portAt = (index: number) => (firstPort === undefined ? undefined : firstPort + index);
  const shared = { now, ...(reach !== undefined && { reach }), ...(publicUrl !== undefined && { publicUrl }) };
  const all = await Promise.all(STARTS.map((start, index) => start({ ...shared, port: portAt(index) })));
  const urlOf = (id: string) => all.find(({ platformId }) => platformId === id)?.env['META_GRAPH_URL'] ?? '';
  const urls = { facebook: urlOf('facebook'), instagram: urlOf('instagram') };
  const meta = await startMetaFront({ now, port: portAt(all.length) }, urls, isOfInstagram);
  return {
    all,
    env: Object.assign({}, ...all.map(({ env }) => env), { META_GRAPH_URL: meta.url, META_AUTH_URL: meta.url }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([meta, ...all].map((one) => one.close()));
    },
  };
}
