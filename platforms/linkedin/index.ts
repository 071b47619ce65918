/** LinkedIn: members, and the pages that they may post as. */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import {
  type ConnectedAccount,
  definePlatform,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
  type Session,
} from '../contract.ts';
import { isProxyPage, type PlatformAnswer, withoutPublishing } from '../http.ts';
import { tokenFields } from '../oauth-credential.ts';
import { listPageIds, readMember, readPage } from './accounts.ts';
import { API_VERSION, failure, isGone, isOk, requireDeleted } from './api.ts';
import { makeComment, removeComment } from './comments.ts';
import { hosted } from './connect.ts';
import { awaitUnreadyImages, contentOf, uploadImages } from './images.ts';
import { toLittleText } from './little-text.ts';
import { readMetrics, SHARES_MAX } from './metrics.ts';
import { findMade, provenBy } from './read-back.ts';
import { checkClient } from '../token-endpoint.ts';
import { callLoggedIn, endpointOf, type LinkedInCredential, renewal } from './credential.ts';
import { CHARACTERS } from '../text.ts';
import { settings } from './settings.ts';

const LinkedInCredentialsInput = z.strictObject({
  ...tokenFields({
    accessToken:
      'Access token of the member, with the scopes openid, profile and w_member_social; for a page w_organization_social and rw_organization_admin.',
    refreshToken: 'Refresh token that came with it, if one did.',
    instant: '2027-01-20T09:00:00Z',
  }),
  organizationId: z
    .string()
    .trim()
    .regex(/^\d{1,20}$/, 'the number of the page, digits only')
    .optional()
    .describe('Number of the page to post as, which its admin view has in its address. Left out: the member.')
    .register(fieldFacts, { label: 'Organization id', kind: 'text' }),
});
type LinkedInCredentialsInput = z.infer<typeof LinkedInCredentialsInput>;

export const linkedin = definePlatform<LinkedInCredential, LinkedInCredentialsInput>({
  id: 'linkedin',
  name: 'LinkedIn',
  kind: 'broadcast',
  settings,
  // Undocumented; this is the limit of LinkedIn's own page.
  text: { maxLength: 3_000, unit: CHARACTERS },
  images: {
    max: 20,
    // No limit is documented for images or alt text; these are the maximums for an upload here.
    maxBytes: 8_388_608,
    maxPixels: 36_152_319,
    gif: { maxFrames: 250 },
    types: ['image/png', 'image/jpeg', 'image/gif'],
    altTextMax: 1000,
  },
  thread: null,
  // Undocumented; this is the limit of LinkedIn's own page.
  firstComment: { maxLength: 1_250 },
  permalink: true,
  // Impressions and clicks are available for pages only.
  metrics: ['impressions', 'likes', 'replies', 'clicks'],
  metricsBatch: { max: SHARES_MAX, shared: false },
  // LinkedIn refuses duplicate posts but does not document for how long, so no call is ever repeated.
  recovery: { repeatWithinMs: 0, readBack: true },
  concurrency: { perProcess: 50, perConnection: 1 },
  connect: ['credentials'],
  apiVersion: API_VERSION,
  source: [
    'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api',
    'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api',
    'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api',
    'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/share-statistics',
    'https://learn.microsoft.com/en-us/linkedin/marketing/versioning',
  ],
  credentials: LinkedInCredentialsInput,
  hosted,
  renewal,
  connectAccount,
  checkApp: (io) => checkClient(io, endpointOf(io)),
  prepare: uploadImages,
  publish,
  readBack,
  remove,
  readMetrics,
});

function connectAccount(
  input: LinkedInCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<LinkedInCredential>> {
  const { accessToken, refreshToken = null, expiresAt = null, organizationId = null } = input;
  const credential = { accessToken, refreshToken, expiresAt, organizationId };
  return withoutPublishing(async () => {
    const member = await readMember(io, accessToken);
    if (organizationId !== null) return connectPage(io, { ...credential, organizationId }, member?.urn);
    if (member !== null) return { platformAccountId: member.urn, handle: member.name, credential };
    const message = 'The access token may not tell whose it is: it needs the scopes openid and profile.';
    throw new PlatformFailure('rejected', message);
  });
}

async function connectPage(
  io: PlatformIo,
  credential: LinkedInCredential & { readonly organizationId: string },
  memberUrn: string | undefined,
): Promise<ConnectedAccount<LinkedInCredential>> {
  const { accessToken, organizationId } = credential;
  if (!(await listPageIds(io, accessToken)).includes(organizationId)) {
    const message = `The member of this credential may not post as the page ${organizationId}: it takes the role of an administrator or content administrator.`;
    throw new PlatformFailure('rejected', message);
  }
  const { vanityName, name } = await readPage(io, accessToken, organizationId);
  return {
    platformAccountId: `urn:li:organization:${organizationId}`,
    handle: vanityName ?? name,
    credential,
    ...(memberUrn !== undefined && { followsAccountId: memberUrn }),
  };
}

async function publish(session: Session<LinkedInCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  if (part.step === 'first_comment') return makeComment(session, part, io);
  if (part.step !== 'head') throw new Error(`LinkedIn makes no part of the kind ${part.step}`);
  const answer = await makePost(session, part, io);
  const proven = provenBy(answer, part, io.now());
  if (proven !== null) return published(proven);
  if (!isOk(answer)) throw failure(answer);
  const urn = answer.headers.get('x-restli-id');
  if (urn === null || urn === '') throw new PlatformFailure('unknown', 'LinkedIn answered without the post it made.');
  return published(urn);
}

/** LinkedIn's errors for uploaded images that are not ready yet: their words, and their codes. */
const NOT_READY = [
  /\b(?:not (?:yet )?(?:ready|available|processed)|(?:still|is) processing|waiting upload)\b/i,
  /(?:\b|_)(?:WAITING_UPLOAD|PROCESSING)\b/,
];

/** A post refused because its images are not ready was not created, so the call is repeated, at most twice. */
async function makePost(session: Session<LinkedInCredential>, part: SendPart, io: PlatformIo): Promise<PlatformAnswer> {
  const json = {
    author: session.platformAccountId,
    commentary: toLittleText(part.text),
    visibility: 'PUBLIC',
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: false,
    ...(part.prepared !== null && { content: contentOf(part.prepared) }),
  };
  for (let tries = 1; ; tries += 1) {
    const answer = await callLoggedIn(session, io, '/rest/posts', { method: 'POST', json });
    const words = JSON.stringify(answer.body);
    const isRefused = [400, 422].includes(answer.status) && !isProxyPage(answer);
    const isEarly = isRefused && NOT_READY.some((early) => early.test(words));
    if (part.prepared === null || !isEarly || tries === 3) return answer;
    await awaitUnreadyImages(io);
  }
}

async function readBack(
  session: Session<LinkedInCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | null> {
  const id = await findMade(session, io, part);
  if (id === null) return null;
  return part.root === undefined
    ? published(id)
    : { platformPostId: id, url: null, ref: { on: part.root.platformPostId } };
}

function remove(session: Session<LinkedInCredential>, post: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    if (post.ref !== undefined) return removeComment(session, post, io);
    const path = `/rest/posts/${encodeURIComponent(post.platformPostId)}`;
    const answer = await callLoggedIn(session, io, path, { method: 'DELETE', restli: 'DELETE' });
    requireDeleted(answer, isGone(answer));
  });
}

function published(urn: string): Published {
  return { platformPostId: urn, url: `https://www.linkedin.com/feed/update/${urn}/` };
}
