/** Instagram professional accounts, the only accounts that its API can post to. */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import { lookForContainer, makeContainer, PUBLISHABLE_MS, publishContainer } from '../meta/containers.ts';
import { type ConnectedAccount, definePlatform, PlatformFailure, type PlatformIo } from '../contract.ts';
import { GRAPH_VERSION } from '../meta/graph.ts';
import { withoutPublishing } from '../http.ts';
import { callInstagram, containersOf, failure, type InstagramCredential } from './api.ts';
import { hosted } from './connect.ts';
import { CHARACTERS } from '../text.ts';
import { settings } from '../meta/settings.ts';

const InstagramCredentialsInput = z.strictObject({
  userId: z
    .string()
    .trim()
    .regex(/^\d{1,32}$/, 'the number of the professional account, digits only')
    .describe('Number of the professional account: the instagram_business_account of its Page.')
    .register(fieldFacts, { label: 'User id', kind: 'text' }),
  accessToken: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .describe(
      'Access token of the Page that the account belongs to, with instagram_basic, instagram_content_publish and pages_read_engagement.',
    )
    .register(fieldFacts, { label: 'Access token', kind: 'secret' }),
});
type InstagramCredentialsInput = z.infer<typeof InstagramCredentialsInput>;

const User = z.object({ id: z.string(), username: z.string().min(1) });

export const instagram = definePlatform<InstagramCredential, InstagramCredentialsInput>({
  id: 'instagram',
  name: 'Instagram',
  kind: 'broadcast',
  settings,
  text: { maxLength: 2_200, unit: CHARACTERS, maxHashtags: 30, maxMentions: 20 },
  images: {
    // Instagram does not accept text-only posts.
    min: 1,
    max: 10,
    maxBytes: 8_000_000,
    types: ['image/jpeg'],
    // No limit is documented; this is the maximum for an upload here.
    altTextMax: 1000,
    ratio: { min: 4 / 5, max: 1.91, words: 'ratios from 4:5 to 1.91:1' },
    fetchedBy: 'META_GRAPH_URL',
  },
  thread: null,
  firstComment: null,
  permalink: true,
  metrics: [],
  // A container is published at most once.
  recovery: { repeatWithinMs: PUBLISHABLE_MS, readBack: true },
  concurrency: { perProcess: 50, perConnection: 2 },
  connect: ['credentials'],
  apiVersion: GRAPH_VERSION,
  source: [
    'https://developers.facebook.com/docs/instagram-platform/content-publishing/',
    'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media/',
    'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes/',
  ],
  credentials: InstagramCredentialsInput,
  hosted,
  connectAccount,
  assemble: ({ credential }, post, io) => makeContainer(containersOf(credential, io), post, io),
  publish: ({ credential }, part, io) => publishContainer(containersOf(credential, io), part, io),
  readBack: ({ credential }, part, io) => lookForContainer(containersOf(credential, io), part, io),
});

function connectAccount(
  credential: InstagramCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<InstagramCredential>> {
  return withoutPublishing(async () => {
    const answer = await callInstagram(io, credential, credential.userId, { query: { fields: 'id,username' } });
    if (answer.status !== 200) throw failure(answer);
    const user = User.safeParse(answer.body);
    if (!user.success) {
      throw new PlatformFailure(
        'rejected',
        `Instagram shows no professional account with the number ${credential.userId}.`,
      );
    }
    // Only professional accounts have this field, and only a token with publish permission can read it.
    const limit = await callInstagram(io, credential, `${credential.userId}/content_publishing_limit`);
    if (limit.status !== 200) throw failure(limit);
    const { id, username } = user.data;
    return { platformAccountId: id, handle: username, credential: { ...credential, userId: id } };
  });
}
