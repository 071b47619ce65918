/** A page on LinkedIn; LinkedIn does not list the posts of members. */
import { startFakeLinkedIn } from '../fakes/fake-linkedin.ts';
import { APP, appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

const SCOPES = 'openid profile w_member_social w_organization_social r_organization_social rw_organization_admin';

const NUMBERS = { impressionCount: 9, likeCount: 1, commentCount: 0, clickCount: 2, shareCount: 5 };

export async function startLinkedInStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeLinkedIn({ ...options, app: APP });
  const member = server.addMember('a1B2', 'Alice', 'token-of-alice');
  member.roles.set('2414183', 'ADMINISTRATOR');
  server.addPage('2414183', 'The Bells', 'the-bells');
  offerApp(server.consent, options, { platformId: 'linkedin', scope: SCOPES, who: 'a1B2' });
  return {
    platformId: 'linkedin',
    maxLength: 3_000,
    // Every code point counts.
    maxFamilies: 428,
    credentials: { accessToken: 'token-of-alice', organizationId: '2414183' },
    env: {
      LINKEDIN_API_URL: server.url,
      LINKEDIN_AUTH_URL: server.url,
      ...appSettings('LINKEDIN', options),
      LINKEDIN_SCOPES: SCOPES,
    },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.posts().map((post) => post.text),
    comments: () => server.comments().map(({ text }) => text),
    giveNumbers: () => {
      for (const { urn } of server.posts()) server.numbers.set(urn, NUMBERS);
    },
    revoke: () => member.accessTokens.clear(),
    lastImages: async () => (server.posts().at(-1)?.images ?? []).map(({ altText = null }) => ({ altText })),
    close: () => server.close(),
  };
}
