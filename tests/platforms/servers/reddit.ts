/** An account with a token on Reddit. */
import { startFakeReddit } from '../fakes/fake-reddit.ts';
import { APP, appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

export async function startRedditServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeReddit({ ...options, app: APP });
  const account = fake.addAccount('alice', 'token-of-alice');
  offerApp(fake.consent, options, {
    platformId: 'reddit',
    scope: 'identity submit edit read history mysubreddits',
    who: 'alice',
  });
  return {
    platformId: 'reddit',
    maxLength: 40_000,
    // Every code point counts.
    maxFamilies: 5_714,
    credentials: { accessToken: 'token-of-alice' },
    env: { REDDIT_API_URL: fake.url, REDDIT_AUTH_URL: fake.url, ...appSettings('REDDIT', options) },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    // A line that is too long for a title is repeated in full in the body.
    existing: async () => fake.posts().map(({ title, selftext }) => (selftext === '' ? title : selftext)),
    revoke: () => account.accessTokens.clear(),
    lastImages: async () => (fake.posts().at(-1)?.kind === 'image' ? [{ altText: null }] : []),
    close: () => fake.close(),
  };
}
