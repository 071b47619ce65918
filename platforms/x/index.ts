/** X, through its API v2. */
import { z } from 'zod';
import {
  type ConnectedAccount,
  definePlatform,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
  type Session,
} from '../contract.ts';
import { type PlatformAnswer, withoutPublishing } from '../http.ts';
import { tokenFields } from '../oauth-credential.ts';
import { callX, failure, isOk, requireDeleted } from './api.ts';
import { hosted } from './connect.ts';
import { mediaIdsOf, uploadImages } from './images.ts';
import { hasLink } from './links.ts';
import { IDS_MAX, readMetrics } from './metrics.ts';
import { findEarlierSend, findPost } from './read-back.ts';
import { checkClient } from '../token-endpoint.ts';
import { callLoggedIn, endpointOf, renewal, type XCredential } from './credential.ts';
import { WEIGHTED } from './weigh.ts';
import { settings } from './settings.ts';

const XCredentialsInput = z.strictObject({
  ...tokenFields({
    accessToken:
      'OAuth 2.0 access token of the account, with the scopes tweet.read, tweet.write, users.read and media.write.',
    refreshToken: 'Refresh token that came with it.',
    instant: '2026-12-01T09:00:00Z',
  }),
});
type XCredentialsInput = z.infer<typeof XCredentialsInput>;

/** Not in X's documentation, but in its refusal: "Image dimensions must be >= 4x4 and <= 8192x8192" (error 324). */
const SIDE_MAX = 8_192;

const Me = z.object({ data: z.object({ id: z.string(), username: z.string() }) });
const Created = z.object({ data: z.object({ id: z.string() }) });
const Deleted = z.object({ data: z.object({ deleted: z.literal(true) }) });
const NotFound = z.object({ errors: z.array(z.object({ type: z.string().endsWith('/resource-not-found') })).min(1) });

export const x = definePlatform<XCredential, XCredentialsInput>({
  id: 'x',
  name: 'X',
  kind: 'broadcast',
  settings,
  text: { maxLength: 280, unit: WEIGHTED },
  images: {
    max: 4,
    // X says 5 MB without defining the unit; this is the smaller one.
    maxBytes: 5_000_000,
    // An animated GIF must be the only image of its post. No fact can express that, so a GIF is sent as a still
    // image.
    types: ['image/png', 'image/jpeg', 'image/webp'],
    altTextMax: 1000,
    maxWidth: SIDE_MAX,
    maxHeight: SIDE_MAX,
  },
  thread: { max: 24, onRefusal: 'take_down' },
  firstComment: null,
  permalink: true,
  metrics: ['impressions', 'likes', 'reposts', 'replies'],
  metricsBatch: { max: IDS_MAX, shared: false },
  recovery: { repeatWithinMs: 0, readBack: true },
  // X documents no period; its staff has said a few hours.
  refusesDuplicatesForMs: 3_600_000,
  concurrency: { perProcess: 50, perConnection: 1 },
  fees: { post: 'X_POST_FEE_CENTS', linkPost: 'X_LINK_POST_FEE_CENTS', hasLink, read: 'X_READ_FEE_CENTS' },
  connect: ['credentials'],
  apiVersion: '2',
  source: [
    'https://docs.x.com/resources/fundamentals/counting-characters',
    'https://docs.x.com/x-api/posts/creation-of-a-post',
    'https://docs.x.com/x-api/media/quickstart/best-practices',
    'https://docs.x.com/x-api/posts/get-posts-by-ids',
  ],
  credentials: XCredentialsInput,
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

function connectAccount(input: XCredentialsInput, io: PlatformIo): Promise<ConnectedAccount<XCredential>> {
  const { accessToken, refreshToken = null, expiresAt = null } = input;
  return withoutPublishing(async () => {
    const answer = await callX(io, accessToken, '/2/users/me');
    if (!isOk(answer)) throw failure(answer);
    const me = Me.safeParse(answer.body);
    if (!me.success) throw new PlatformFailure('unavailable', 'X answered without the account of this access token.');
    const { id, username } = me.data.data;
    return { platformAccountId: id, handle: username, credential: { accessToken, refreshToken, expiresAt } };
  });
}

async function publish(session: Session<XCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const answer = await callLoggedIn(session, io, '/2/tweets', {
    method: 'POST',
    json: {
      text: part.text,
      ...(part.prepared !== null && { media: { media_ids: mediaIdsOf(part.prepared) } }),
      ...(part.parent !== undefined && { reply: { in_reply_to_tweet_id: part.parent.platformPostId } }),
    },
  });
  if (!isOk(answer)) {
    const earlier = await findEarlierSend(session, io, part, answer);
    if (earlier === null) throw failure(answer);
    return published(session, earlier);
  }
  const created = Created.safeParse(answer.body);
  if (!created.success) throw new PlatformFailure('unknown', 'X answered without the post it made.');
  return published(session, created.data.data.id);
}

async function readBack(session: Session<XCredential>, part: SendPart, io: PlatformIo): Promise<Published | null> {
  const id = await findPost(session, io, part);
  return id === null ? null : published(session, id);
}

function remove(session: Session<XCredential>, post: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const path = `/2/tweets/${encodeURIComponent(post.platformPostId)}`;
    const answer = await callLoggedIn(session, io, path, { method: 'DELETE' });
    requireDeleted(answer, isGone(answer));
  });
}

/** A success alone proves nothing: X reports some errors with HTTP 200. */
function isGone(answer: PlatformAnswer): boolean {
  return answer.status === 404 || (isOk(answer) && z.union([Deleted, NotFound]).safeParse(answer.body).success);
}

function published({ handle }: Session<XCredential>, id: string): Published {
  return { platformPostId: id, url: `https://x.com/${encodeURIComponent(handle)}/status/${id}` };
}
