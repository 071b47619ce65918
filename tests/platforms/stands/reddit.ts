/** An account with a token on Reddit. */
import { startFakeReddit } from '../fakes/fake-reddit.ts';
import { APP, appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

export async function startRedditStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeReddit({ ...options, app: APP });
  const account = server.addAccount('alice', 'token-of-alice');
  offerApp(server.consent, options, {
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
    env: { REDDIT_API_URL: server.url, REDDIT_AUTH_URL: server.url, ...appSettings('REDDIT', options) },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    // A line that is too long for a title is repeated in full in the body.
    existing: async () => server.posts().map(({ title, selftext }) => (selftext === '' ? title : selftext)),
    revoke: () => account.accessTokens.clear(),
    lastImages: async () => (server.posts().at(-1)?.kind === 'image' ? [{ altText: null }] : []),
    close: () => server.close(),
  };
}
