/** A page on LinkedIn; LinkedIn does not list the posts of members. */
import { startFakeLinkedIn } from '../fakes/fake-linkedin.ts';
import { APP, appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

const SCOPES = 'openid profile w_member_social w_organization_social r_organization_social rw_organization_admin';

const NUMBERS = { impressionCount: 9, likeCount: 1, commentCount: 0, clickCount: 2, shareCount: 5 };

export async function startLinkedInServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeLinkedIn({ ...options, app: APP });
  const member = fake.addMember('a1B2', 'Alice', 'token-of-alice');
  member.roles.set('2414183', 'ADMINISTRATOR');
  fake.addPage('2414183', 'The Bells', 'the-bells');
  offerApp(fake.consent, options, { platformId: 'linkedin', scope: SCOPES, who: 'a1B2' });
  return {
    platformId: 'linkedin',
    maxLength: 3_000,
    // Every code point counts.
    maxFamilies: 428,
    credentials: { accessToken: 'token-of-alice', organizationId: '2414183' },
    env: {
      LINKEDIN_API_URL: fake.url,
      LINKEDIN_AUTH_URL: fake.url,
      ...appSettings('LINKEDIN', options),
      LINKEDIN_SCOPES: SCOPES,
    },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.posts().map((post) => post.text),
    comments: () => fake.comments().map(({ text }) => text),
    giveNumbers: () => {
      for (const { urn } of fake.posts()) fake.numbers.set(urn, NUMBERS);
    },
    revoke: () => member.accessTokens.clear(),
    lastImages: async () => (fake.posts().at(-1)?.images ?? []).map(({ altText = null }) => ({ altText })),
    close: () => fake.close(),
  };
}
