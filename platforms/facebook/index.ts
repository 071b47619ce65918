/** Facebook Pages, the only Facebook accounts that its API can post to. */
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
import { stringField, withoutPublishing } from '../http.ts';
import {
  API_VERSION,
  callGraph,
  failure,
  type GraphAnswer,
  isMissing,
  type PageCredential,
  requireDeleted,
} from './api.ts';
import { hosted } from './connect.ts';
import { attachedMedia, uploadImages } from './images.ts';
import { findEarlierSend, findMade, Made, MADE_FIELDS } from './read-back.ts';
import { CHARACTERS } from '../text.ts';
import { checkMetaApp } from '../meta/oauth.ts';
import { settings } from '../meta/settings.ts';

const FacebookCredentialsInput = z.strictObject({
  pageId: z
    .string()
    .trim()
    .regex(/^\d{1,32}$/, 'the number of the Page, digits only')
    .describe('Number of the Page, which its Page transparency section shows.')
    .register(fieldFacts, { label: 'Page number', kind: 'text' }),
  accessToken: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .describe(
      'Access token of the Page, not of a person, with pages_read_engagement, pages_manage_posts and, for first comments, pages_manage_engagement.',
    )
    .register(fieldFacts, { label: 'Access token', kind: 'secret' }),
});
type FacebookCredentialsInput = z.infer<typeof FacebookCredentialsInput>;

const NotDeleted = z.object({ success: z.literal(false) });
const Page = z.object({ id: z.string(), name: z.string().min(1), username: z.string().min(1).optional() });

/** Origin of permalinks. */
const WEBSITE = 'https://www.facebook.com';

export const facebook = definePlatform<PageCredential, FacebookCredentialsInput>({
  id: 'facebook',
  name: 'Facebook',
  kind: 'broadcast',
  settings,
  // Undocumented; other clients use this value.
  text: { maxLength: 63_206, unit: CHARACTERS },
  images: {
    max: 10,
    // The reference says 10 MB, but actual refusals name 4 MB.
    maxBytes: 4_000_000,
    types: ['image/png', 'image/jpeg', 'image/gif'],
    // No limit is documented; this is the maximum for an upload here.
    altTextMax: 1000,
  },
  thread: null,
  // Undocumented; other clients use this value.
  firstComment: { maxLength: 8_000 },
  permalink: true,
  metrics: [],
  // The API has no idempotency, so no call is ever repeated.
  recovery: { repeatWithinMs: 0, readBack: true },
  concurrency: { perProcess: 50, perConnection: 2 },
  connect: ['credentials'],
  apiVersion: API_VERSION,
  source: [
    'https://developers.facebook.com/docs/pages-api/posts/',
    'https://developers.facebook.com/docs/graph-api/reference/page/photos/',
    'https://developers.facebook.com/docs/graph-api/reference/object/comments/',
    'https://developers.facebook.com/docs/graph-api/guides/error-handling/',
  ],
  credentials: FacebookCredentialsInput,
  hosted,
  connectAccount,
  checkApp: (io) => checkMetaApp(io, 'Facebook'),
  prepare: uploadImages,
  publish,
  readBack,
  remove,
});

function connectAccount(
  credential: FacebookCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<PageCredential>> {
  return withoutPublishing(async () => {
    const answer = await callGraph(io, credential, credential.pageId, { query: { fields: 'id,name,username' } });
    if (answer.status !== 200) throw failure(answer);
    const page = Page.safeParse(answer.body);
    if (!page.success)
      throw new PlatformFailure('rejected', `Facebook shows no Page with the number ${credential.pageId}.`);
    await requirePageToken(io, credential);
    const { id, name, username } = page.data;
    return { platformAccountId: id, handle: username ?? name, credential: { ...credential, pageId: id } };
  });
}

/** A person's token can also read a Page, but the first post with it would be refused. */
async function requirePageToken(io: PlatformIo, credential: PageCredential): Promise<void> {
  const answer = await callGraph(io, credential, 'me', { query: { fields: 'id' } });
  if (answer.status !== 200) throw failure(answer);
  if (stringField(answer.body, 'id') === credential.pageId) return;
  throw new PlatformFailure('rejected', `The access token is not that of the Page ${credential.pageId}.`);
}

async function publish({ credential }: Session<PageCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const comments = commentsEdge(part);
  const photos = part.prepared === null ? {} : { attached_media: attachedMedia(part.prepared) };
  // It asks for no fields: an error while they are read is answered as if the post had been refused.
  const answer = await callGraph(io, credential, comments ?? `${encodeURIComponent(credential.pageId)}/feed`, {
    method: 'POST',
    json: comments === null ? { message: part.text, published: true, ...photos } : { message: part.text },
  });
  const earlier = await findEarlierSend(io, credential, listEdge(credential, part), part, answer);
  const made = earlier ?? madeOf(answer);
  if (comments !== null || made.permalink_url !== undefined) return published(made);
  return published(await withPermalink(io, credential, made));
}

async function readBack(
  { credential }: Session<PageCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | null> {
  const made = await findMade(io, credential, listEdge(credential, part), part);
  return made === null ? null : published(made);
}

function remove({ credential }: Session<PageCredential>, post: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const answer = await callGraph(io, credential, encodeURIComponent(post.platformPostId), { method: 'DELETE' });
    requireDeleted(answer, isGone(answer));
  });
}

/** A Page can see its own posts, so a post that it cannot see is gone. */
function isGone(answer: GraphAnswer): boolean {
  if (isMissing(answer)) return true;
  return answer.status === 200 && answer.error === null && !NotDeleted.safeParse(answer.body).success;
}

/** The edge that creates and lists first comments; null for a post. */
function commentsEdge({ step, root }: SendPart): string | null {
  if (step === 'head') return null;
  if (step !== 'first_comment' || root === undefined) throw new Error(`Facebook makes no part of the kind ${step}`);
  return `${encodeURIComponent(root.platformPostId)}/comments`;
}

/** The edge that lists what a part may have made. */
function listEdge({ pageId }: PageCredential, part: SendPart): string {
  return commentsEdge(part) ?? `${encodeURIComponent(pageId)}/published_posts`;
}

function madeOf(answer: GraphAnswer): Made {
  if (answer.status !== 200) throw failure(answer);
  const made = Made.safeParse(answer.body);
  if (made.success) return made.data;
  throw new PlatformFailure('unknown', 'Facebook answered without the id of what it made.');
}

/** Reads the URL of a published post. The post counts as published even if that fails. */
async function withPermalink(io: PlatformIo, credential: PageCredential, made: Made): Promise<Made> {
  try {
    return madeOf(await callGraph(io, credential, encodeURIComponent(made.id), { query: { fields: MADE_FIELDS } }));
  } catch (error) {
    if (error instanceof PlatformFailure) return made;
    throw error;
  }
}

/** Facebook redirects from the bare id to the post. */
function published({ id, permalink_url: permalink }: Made): Published {
  const url = URL.parse(permalink ?? id, WEBSITE) ?? new URL(id, WEBSITE);
  return { platformPostId: id, url: url.href };
}
