/** The sandbox: a platform inside the app, for safe experiments. Directives in the text script its failures. */
import { z } from 'zod';
import {
  definePlatform,
  type Platform,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
  type Session,
} from '../contract.ts';
import { readDirectives } from './directives.ts';
import { metricsAt } from './metrics.ts';
import type { TimelineImage, Timeline, TimelinePost } from '../timeline.ts';
import { GRAPHEMES } from '../text.ts';

const Credentials = z.strictObject({}).describe('The sandbox asks for no credentials: send {}.');
type Credentials = z.infer<typeof Credentials>;

const Images = z.array(z.object({ mediaId: z.string(), altText: z.string(), width: z.number(), height: z.number() }));

/** Handle of every sandbox account. */
const HANDLE = 'sandbox';

/** The sandbox of an install, with the install's store. */
export const sandbox = { create: createSandbox };

function createSandbox(timeline: Timeline): Platform<Credentials, Credentials> {
  return definePlatform<Credentials, Credentials>({
    id: 'sandbox',
    name: 'Sandbox',
    kind: 'broadcast',
    text: { maxLength: 500, unit: GRAPHEMES },
    images: {
      max: 5,
      maxBytes: 8_388_608,
      types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
      altTextMax: 1000,
    },
    thread: { max: 24, onRefusal: 'take_down' },
    firstComment: null,
    permalink: true,
    metrics: ['likes', 'reposts', 'replies'],
    metricsBatch: { max: 1_000, shared: true },
    // The timeline keeps the token of each post permanently and can always look it up.
    recovery: { repeatWithinMs: Infinity, readBack: true },
    concurrency: { perProcess: 200, perConnection: 100 },
    opensAccounts: true,
    connect: ['credentials'],
    apiVersion: null,
    source: [],
    credentials: Credentials,
    hosted: { fields: [] },

    connectAccount: async () => ({ platformAccountId: timeline.openAccount(), handle: HANDLE, credential: {} }),

    // The sandbox runs inside the app, so there is no upload: the images of the timeline are recorded.
    prepare: async (_session, images) =>
      images.map(({ mediaId, altText, width, height }) => ({ mediaId, altText, width, height })),

    publish: async (session, part, io) => {
      const asked = readDirectives(part.text);
      if (asked.slowMs > 0) await io.sleep(asked.slowMs, io.signal);
      if (asked.reject)
        throw new PlatformFailure('rejected', 'The sandbox refused the post, as [[reject]] in its text asks.');
      if (asked.unavailable)
        throw new PlatformFailure(
          'unavailable',
          'The sandbox is unavailable, as [[unavailable]] in the text asks; nothing was posted.',
        );
      if (asked.reconnect)
        throw new PlatformFailure(
          'reconnect',
          'The sandbox no longer accepts this credential, as [[reconnect]] in the text asks.',
        );
      const { platformAccountId: accountId, handle } = session;
      const post = await timeline.append({
        accountId,
        handle,
        text: part.text,
        images: imagesOf(part),
        token: part.token,
        rootId: part.root?.platformPostId ?? null,
      });
      if (asked.lost || asked.vanish)
        throw new PlatformFailure('unknown', 'The sandbox dropped its answer, as the text asks.');
      return publishedAs(session, post, io);
    },

    readBack: async (session, part, io) => {
      if (readDirectives(part.text).vanish)
        throw new PlatformFailure('unknown', 'The sandbox hides the post, as [[vanish]] in its text asks.');
      const post = await timeline.findByToken(session.platformAccountId, part.token);
      return post === null ? null : publishedAs(session, post, io);
    },

    remove: async (session, published) => {
      const { platformAccountId: accountId } = session;
      const post = await timeline.find(accountId, published.platformPostId);
      if (post !== null && readDirectives(post.text).refuseDelete) {
        throw new PlatformFailure('rejected', 'The sandbox refused the delete, as [[refuse-delete]] in the text asks.');
      }
      await timeline.remove(accountId, published.platformPostId);
    },

    readMetrics: async (_session, posts, io) =>
      new Map(posts.map(({ platformPostId, sentAt }) => [platformPostId, metricsAt(sentAt, io.now())])),
  });
}

function imagesOf(part: SendPart): readonly TimelineImage[] {
  return part.prepared === null ? [] : Images.parse(part.prepared);
}

function publishedAs(session: Session<unknown>, post: TimelinePost, io: PlatformIo): Published {
  const url = `${io.endpoints.PUBLIC_URL}/sandbox/${session.platformAccountId}/${post.id}`;
  return { platformPostId: post.id, url };
}
