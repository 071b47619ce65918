/** An account with a token on X. */
import { startFakeX } from '../fakes/fake-x.ts';
import { APP, appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

export async function startXServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeX({ ...options, app: APP });
  const account = fake.addAccount('alice', 'token-of-alice');
  offerApp(fake.consent, options, {
    platformId: 'x',
    scope: 'tweet.read tweet.write users.read media.write offline.access',
    who: 'alice',
  });
  return {
    platformId: 'x',
    maxLength: 280,
    // An emoji weighs 2, however many code points it has.
    maxFamilies: 140,
    credentials: { accessToken: 'token-of-alice' },
    env: { X_API_URL: fake.url, X_AUTH_URL: fake.url, ...appSettings('X', options) },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.posts().map((post) => post.text),
    revoke: () => account.accessTokens.clear(),
    lastImages: async () => {
      const mediaIds = fake.posts().at(-1)?.mediaIds ?? [];
      return fake
        .images()
        .filter(({ id }) => mediaIds.includes(id))
        .map(({ altText }) => ({ altText }));
    },
    close: () => fake.close(),
  };
}
