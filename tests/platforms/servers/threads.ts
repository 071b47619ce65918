/** An account with a token on Threads. */
import { startFakeThreads } from '../fakes/fake-threads.ts';
import { appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

export async function startThreadsServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeThreads(options);
  const account = fake.addAccount('24000000000000001', 'thebells', 'token-of-threads');
  offerApp(fake.consent, options, {
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
    env: { THREADS_API_URL: fake.url, THREADS_AUTH_URL: fake.url, ...appSettings('THREADS', options) },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.posts().map((post) => post.text),
    revoke: () => account.tokens.clear(),
    lastImages: async () => (fake.posts().at(-1)?.images ?? []).map(({ altText }) => ({ altText })),
    close: () => fake.close(),
  };
}
