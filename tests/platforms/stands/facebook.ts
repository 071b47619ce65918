/** A Page with a token on Facebook. */
import { startFakeFacebook } from '../fakes/fake-facebook.ts';
import { appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

const PAGE_TOKEN = 'token-of-the-bells';

export async function startFacebookStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeFacebook(options);
  const page = server.addPage('104000000000001', 'The Bells', PAGE_TOKEN);
  offerApp(server.login.consent, options, {
    platformId: 'facebook',
    scope: 'pages_show_list,pages_read_engagement,pages_manage_posts,pages_manage_engagement',
    who: 'alice',
  });
  server.login.managed.set('alice', [
    { id: page.id, name: page.name, access_token: PAGE_TOKEN, tasks: ['CREATE_CONTENT', 'MODERATE'] },
  ]);
  return {
    platformId: 'facebook',
    maxLength: 63_206,
    // Every code point counts.
    maxFamilies: 9_029,
    credentials: { pageId: page.id, accessToken: PAGE_TOKEN },
    env: { META_GRAPH_URL: server.url, META_AUTH_URL: server.url, ...appSettings('META', options) },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.posts().map((post) => post.message),
    comments: () => server.comments().map(({ message }) => message),
    revoke: () => page.tokens.clear(),
    lastImages: async () => {
      const photoIds = server.posts().at(-1)?.photoIds ?? [];
      return server
        .photos()
        .filter(({ id }) => photoIds.includes(id))
        .map(({ altText }) => ({ altText }));
    },
    close: () => server.close(),
  };
}
