/** An account with an app password on an AT Protocol server. */
import { startFakeBluesky } from '../fakes/fake-bluesky.ts';
import type { Stand, StandOptions } from './stand.ts';

export async function startBlueskyStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeBluesky(options);
  const account = server.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  server.oauth.signedIn = account.did;
  return {
    platformId: 'bluesky',
    maxLength: 300,
    // 3000 bytes are reached before 300 graphemes.
    maxFamilies: 120,
    credentials: { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' },
    env: { BLUESKY_SERVICE_URL: server.url, BLUESKY_PLC_URL: server.url, BLUESKY_APPVIEW_URL: server.url },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.posts().map((post) => post.record.text),
    revoke: () => {
      account.appPasswords.clear();
      server.dropRefreshTokens();
      server.faults.push('token_expired');
    },
    lastImages: async () => (server.posts().at(-1)?.record.embed?.images ?? []).map(({ alt }) => ({ altText: alt })),
    close: () => server.close(),
  };
}
