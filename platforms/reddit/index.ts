/** Reddit: an account's own profile, or a community to which it posts. */
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
import { withoutPublishing } from '../http.ts';
import { tokenFields } from '../oauth-credential.ts';
import { readAccount, readCommunity } from './accounts.ts';
import { deleteFailureOf, failureOf } from './api.ts';
import { hosted } from './connect.ts';
import { imageUrlOf, uploadImages } from './images.ts';
import { findPost, listedNames } from './read-back.ts';
import { callLoggedIn, endpointOf, type RedditCredential, renewal } from './credential.ts';
import { MARKDOWN, submissionOf } from './submission.ts';
import { requestTokens } from '../token-endpoint.ts';
import { settings } from './settings.ts';

const RedditCredentialsInput = z.strictObject({
  ...tokenFields({
    accessToken: 'OAuth 2.0 access token of the account, with the scopes identity, submit, edit, read and history.',
    refreshToken: 'Refresh token that came with it.',
    instant: '2026-12-01T09:00:00Z',
  }),
  subreddit: z
    .string()
    .trim()
    .regex(/^(?:\/?r\/)?[A-Za-z0-9]\w{1,20}$/, 'the name of a community, such as r/bells')
    .transform((name) => name.replace(/^\/?r\//, ''))
    .optional()
    .describe('Community to post to, such as r/bells. Left out: the account’s own profile.')
    .register(fieldFacts, { label: 'Subreddit', kind: 'text' }),
});
type RedditCredentialsInput = z.infer<typeof RedditCredentialsInput>;

const Submitted = z.object({ json: z.object({ data: z.object({ name: z.string(), url: z.string() }) }) });
const Info = z.object({
  data: z.object({ children: z.array(z.object({ data: z.object({ author: z.string().nullish() }) })) }),
});

/** Waits before each search for a post with an image. Reddit creates such a post only after processing the image. */
const LOOK_WAITS_MS = [1_000, 2_000, 2_000, 3_000, 3_000, 4_000, 4_000];

/** Author name that Reddit shows for a deleted post. */
const DELETED = '[deleted]';

/** Origin of permalinks. */
const WEBSITE = 'https://www.reddit.com';

export const reddit = definePlatform<RedditCredential, RedditCredentialsInput>({
  id: 'reddit',
  name: 'Reddit',
  kind: 'broadcast',
  settings,
  text: { maxLength: 40_000, unit: MARKDOWN },
  images: {
    max: 1,
    // Undocumented; this is the maximum for an upload here.
    maxBytes: 8_388_608,
    types: ['image/png', 'image/jpeg', 'image/gif'],
    altTextMax: null,
  },
  thread: null,
  firstComment: null,
  permalink: true,
  metrics: [],
  recovery: { repeatWithinMs: 0, readBack: true },
  concurrency: { perProcess: 50, perConnection: 1 },
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://www.reddit.com/dev/api/#POST_api_submit',
    'https://www.reddit.com/dev/api/#GET_user_{username}_{where}',
    'https://github.com/reddit-archive/reddit/wiki/OAuth2',
    'https://github.com/reddit-archive/reddit/wiki/API',
  ],
  credentials: RedditCredentialsInput as z.ZodType<RedditCredentialsInput>,
  hosted,
  renewal,
  connectAccount,
  checkApp,
  prepare: uploadImages,
  publish,
  readBack,
  remove,
});

function connectAccount(input: RedditCredentialsInput, io: PlatformIo): Promise<ConnectedAccount<RedditCredential>> {
  const { accessToken, refreshToken = null, expiresAt = null, subreddit } = input;
  return withoutPublishing(async () => {
    const { id, username } = await readAccount(io, accessToken);
    const credential = { accessToken, refreshToken, expiresAt, username };
    if (subreddit === undefined) {
      return { platformAccountId: id, handle: username, credential: { ...credential, target: `u_${username}` } };
    }
    const target = await readCommunity(io, accessToken, subreddit);
    // Each community is a separate destination, so one account can be connected to several.
    const platformAccountId = `${id}/r/${target.toLowerCase()}`;
    return { platformAccountId, handle: `r/${target}`, credential: { ...credential, target } };
  });
}

async function publish(session: Session<RedditCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  if (part.step !== 'head') throw new Error(`Reddit makes no part of the kind ${part.step}`);
  // Without the posts of before, the search may take one of them for the part, which is found out afterwards.
  const before = part.prepared === null ? null : await listedNames(session, io).catch(ignoreUnknown);
  const answer = await callLoggedIn(session, io, '/api/submit', { form: formOf(session.credential, part) });
  const refused = failureOf(answer);
  if (refused !== null) throw refused;
  if (part.prepared !== null) return untilListed(session, part, before ?? NONE, io);
  const submitted = Submitted.safeParse(answer.body);
  if (!submitted.success) throw new PlatformFailure('unknown', 'Reddit answered without the post it made.');
  const { name, url } = submitted.data.json.data;
  return { platformPostId: name, url };
}

function formOf({ target }: RedditCredential, part: SendPart): Record<string, string> {
  const { kind, title, content } = submissionOf(part.text);
  const common = { api_type: 'json', sr: target, title, resubmit: 'true', sendreplies: 'true' };
  if (part.prepared !== null) {
    return { ...common, kind: 'image', url: imageUrlOf(part.prepared), text: kind === 'self' ? content : '' };
  }
  return kind === 'link' ? { ...common, kind, url: content } : { ...common, kind, text: content };
}

/**
 * Reddit creates a post with an image later and does not return its id, so it is searched among the account's
 * posts.
 *
 * @param others names of posts that were there before
 */
async function untilListed(
  session: Session<RedditCredential>,
  part: SendPart,
  others: ReadonlySet<string>,
  io: PlatformIo,
): Promise<Published> {
  for (const ms of LOOK_WAITS_MS) {
    await io.sleep(ms, io.signal);
    const made = await lookBeside(others, session, part, io).catch(ignoreUnknown);
    if (made !== null) return { ...made, isFound: true };
  }
  throw stillMaking();
}

function readBack(session: Session<RedditCredential>, part: SendPart, io: PlatformIo): Promise<Published | null> {
  return lookBeside(NONE, session, part, io);
}

async function lookBeside(
  others: ReadonlySet<string>,
  session: Session<RedditCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | null> {
  const made = await findPost(session, io, part, others);
  if (made !== null) return { platformPostId: made.name, url: new URL(made.permalink, WEBSITE).href };
  // The post may appear minutes later, so its absence proves nothing.
  if (part.prepared !== null) throw stillMaking();
  return null;
}

function remove(session: Session<RedditCredential>, { platformPostId: id }: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const deleted = deleteFailureOf(await callLoggedIn(session, io, '/api/del', { form: { id } }));
    if (deleted !== null) throw deleted;
    // Reddit returns the same response whether or not it deleted the post.
    const shown = await callLoggedIn(session, io, '/api/info', { query: { id } });
    const refused = deleteFailureOf(shown);
    if (refused !== null) throw refused;
    const info = Info.safeParse(shown.body);
    if (!info.success) throw new PlatformFailure('unavailable', 'Reddit does not show whether the post is gone.');
    if (info.data.data.children.every(({ data }) => data.author === DELETED)) return;
    throw new PlatformFailure('rejected', 'Reddit took the delete, and still shows the post.');
  });
}

function stillMaking(): PlatformFailure {
  return new PlatformFailure('unknown', 'Reddit has taken a post with an image and does not show it yet.');
}

const NONE: ReadonlySet<string> = new Set();

/** A search without a conclusive result is followed by the next. */
function ignoreUnknown(error: unknown): null {
  if (error instanceof PlatformFailure) return null;
  throw error;
}

/** A token for the app itself (OAuth 2.0, section 4.4), which reaches no account. */
async function checkApp(io: PlatformIo): Promise<void> {
  await requestTokens(io, endpointOf(io), 'client_credentials', {});
}
