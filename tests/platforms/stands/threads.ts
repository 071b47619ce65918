/** An account with a token on Threads. */
import { startFakeThreads } from '../fakes/fake-threads.ts';
import { appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

export async function startThreadsStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeThreads(options);
  const account = server.addAccount('24000000000000001', 'thebells', 'token-of-threads');
  offerApp(server.consent, options, {
    platformId: 'threads',
    scope: 'threads_basic,threads_content_publish',
    who: 'thebells',
  });
  return {
    platformId: 'threads',
    maxLength: 500,
    // An emoji counts as its bytes.
    maxFamilies: 20,
    credentials: { accessToken: 'token-of-threads' },
    env: { THREADS_API_URL: server.url, THREADS_AUTH_URL: server.url, ...appSettings('THREADS', options) },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.posts().map((post) => post.text),
    revoke: () => account.tokens.clear(),
    lastImages: async () => (server.posts().at(-1)?.images ?? []).map(({ altText }) => ({ altText })),
    close: () => server.close(),
  };
}
