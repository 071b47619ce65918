/** An account with a token on X. */
import { startFakeX } from '../fakes/fake-x.ts';
import { APP, appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

export async function startXStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeX({ ...options, app: APP });
  const account = server.addAccount('alice', 'token-of-alice');
  offerApp(server.consent, options, {
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
    env: { X_API_URL: server.url, X_AUTH_URL: server.url, ...appSettings('X', options) },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.posts().map((post) => post.text),
    revoke: () => account.accessTokens.clear(),
    lastImages: async () => {
      const mediaIds = server.posts().at(-1)?.mediaIds ?? [];
      return server
        .images()
        .filter(({ id }) => mediaIds.includes(id))
        .map(({ altText }) => ({ altText }));
    },
    close: () => server.close(),
  };
}
