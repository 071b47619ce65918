/** An account with a token on a Mastodon server. */
import { startFakeMastodon } from '../fakes/fake-mastodon.ts';
import type { Stand, StandOptions } from './stand.ts';

export async function startMastodonStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeMastodon(options);
  const account = server.addAccount('alice', 'token-of-alice');
  server.consent.signedIn = 'alice';
  return {
    platformId: 'mastodon',
    maxLength: 500,
    maxFamilies: 500,
    credentials: { instanceUrl: server.url, accessToken: 'token-of-alice' },
    env: {},
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.posts().map((post) => post.text),
    revoke: () => account.tokens.clear(),
    lastImages: async () => {
      const mediaIds = server.posts().at(-1)?.mediaIds ?? [];
      const images = server.images().filter(({ id }) => mediaIds.includes(id));
      return images.map(({ description }) => ({ altText: description }));
    },
    close: () => server.close(),
  };
}
