/** A Page with a token on Facebook. */
import { startFakeFacebook } from '../fakes/fake-facebook.ts';
import { appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

const PAGE_TOKEN = 'token-of-the-bells';

export async function startFacebookServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeFacebook(options);
  const page = fake.addPage('104000000000001', 'The Bells', PAGE_TOKEN);
  offerApp(fake.login.consent, options, {
    platformId: 'facebook',
    scope: 'pages_show_list,pages_read_engagement,pages_manage_posts,pages_manage_engagement',
    who: 'alice',
  });
  fake.login.managed.set('alice', [
    { id: page.id, name: page.name, access_token: PAGE_TOKEN, tasks: ['CREATE_CONTENT', 'MODERATE'] },
  ]);
  return {
    platformId: 'facebook',
    maxLength: 63_206,
    // Every code point counts.
    maxFamilies: 9_029,
    credentials: { pageId: page.id, accessToken: PAGE_TOKEN },
    env: { META_GRAPH_URL: fake.url, META_AUTH_URL: fake.url, ...appSettings('META', options) },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.posts().map((post) => post.message),
    comments: () => fake.comments().map(({ message }) => message),
    revoke: () => page.tokens.clear(),
    lastImages: async () => {
      const photoIds = fake.posts().at(-1)?.photoIds ?? [];
      return fake
        .photos()
        .filter(({ id }) => photoIds.includes(id))
        .map(({ altText }) => ({ altText }));
    },
    close: () => fake.close(),
  };
}
