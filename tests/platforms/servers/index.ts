/** The fake servers of all platforms at once, and the settings that point an install to them. */
import { startBlueskyServer } from './bluesky.ts';
import { startDiscordServer } from './discord.ts';
import { startEmailServer } from './email.ts';
import { startFacebookServer } from './facebook.ts';
import { isOfInstagram, startInstagramServer } from './instagram.ts';
import { startLinkedInServer } from './linkedin.ts';
import { startMastodonServer } from './mastodon.ts';
import { startRedditServer } from './reddit.ts';
import { startSlackServer } from './slack.ts';
import { startSmsServer } from './sms.ts';
import { startTelegramServer } from './telegram.ts';
import { startThreadsServer } from './threads.ts';
import { startNostrServer } from './nostr.ts';
import { startXServer } from './x.ts';
import { startMetaFront } from './meta-front.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

/** Every platform except the sandbox, which is part of the install; in the order of the registry. */
const STARTS = [
  startBlueskyServer,
  startMastodonServer,
  startLinkedInServer,
  startFacebookServer,
  startInstagramServer,
  startThreadsServer,
  startNostrServer,
  startXServer,
  startRedditServer,
  startTelegramServer,
  startDiscordServer,
  startSlackServer,
  startSmsServer,
  startEmailServer,
] as const;

export interface PlatformServers extends AsyncDisposable {
  readonly all: readonly PlatformServer[];
  /** Settings that point an install to all of them. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param firstPort first of consecutive ports, one per server; any free ports when absent */
export async function startPlatformServers(
  { now, reach, publicUrl, tap }: PlatformServerOptions,
  firstPort?: number,
): Promise<PlatformServers> {
  const portAt = (index: number) => (firstPort === undefined ? undefined : firstPort + index);
  const shared = { now, tap, ...(reach !== undefined && { reach }), ...(publicUrl !== undefined && { publicUrl }) };
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
