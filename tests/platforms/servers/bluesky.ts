/** An account with an app password on an AT Protocol server. */
import { startFakeBluesky } from '../fakes/fake-bluesky.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

export async function startBlueskyServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeBluesky(options);
  const account = fake.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  fake.oauth.signedIn = account.did;
  return {
    platformId: 'bluesky',
    maxLength: 300,
    // 3000 bytes are reached before 300 graphemes.
    maxFamilies: 120,
    credentials: { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' },
    env: { BLUESKY_SERVICE_URL: fake.url, BLUESKY_PLC_URL: fake.url, BLUESKY_APPVIEW_URL: fake.url },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.posts().map((post) => post.record.text),
    revoke: () => {
      account.appPasswords.clear();
      fake.dropRefreshTokens();
      fake.faults.push('token_expired');
    },
    lastImages: async () => (fake.posts().at(-1)?.record.embed?.images ?? []).map(({ alt }) => ({ altText: alt })),
    close: () => fake.close(),
  };
}
