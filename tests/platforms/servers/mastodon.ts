/** An account with a token on a Mastodon server. */
import { startFakeMastodon } from '../fakes/fake-mastodon.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

export async function startMastodonServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeMastodon(options);
  const account = fake.addAccount('alice', 'token-of-alice');
  fake.consent.signedIn = 'alice';
  return {
    platformId: 'mastodon',
    maxLength: 500,
    maxFamilies: 500,
    credentials: { instanceUrl: fake.url, accessToken: 'token-of-alice' },
    env: {},
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.posts().map((post) => post.text),
    revoke: () => account.tokens.clear(),
    lastImages: async () => {
      const mediaIds = fake.posts().at(-1)?.mediaIds ?? [];
      const images = fake.images().filter(({ id }) => mediaIds.includes(id));
      return images.map(({ description }) => ({ altText: description }));
    },
    close: () => fake.close(),
  };
}
