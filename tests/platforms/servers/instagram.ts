/** A professional account with a token on Instagram. */
import { startFakeInstagram } from '../fakes/fake-instagram.ts';
import { appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

const TOKEN = 'token-of-insta';

/** The user who is signed in on Facebook's page when it asks for Instagram. */
const WHO = 'alice-of-insta';

/** Tells its tokens and URLs from Facebook's, which the same server receives. */
export function isOfInstagram(said: string): boolean {
  return said === TOKEN || said.includes(WHO) || said.endsWith('/connect/callback/instagram');
}

export async function startInstagramServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeInstagram(options);
  const account = fake.addAccount('17841400000000001', 'thebells', TOKEN);
  offerApp(fake.login.consent, options, {
    platformId: 'instagram',
    scope: 'instagram_basic,instagram_content_publish,pages_show_list,pages_read_engagement',
    who: WHO,
  });
  fake.login.managed.set(WHO, [
    {
      id: '104000000000001',
      name: 'The Bells',
      access_token: TOKEN,
      tasks: ['CREATE_CONTENT', 'MODERATE'],
      instagram_business_account: { id: account.id, username: account.username },
    },
  ]);
  return {
    platformId: 'instagram',
    maxLength: 2_200,
    // Every code point counts.
    maxFamilies: 314,
    needsImage: true,
    credentials: { userId: account.id, accessToken: TOKEN },
    env: { META_GRAPH_URL: fake.url, META_AUTH_URL: fake.url, ...appSettings('META', options) },
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
