/** Bluesky, and any other AT Protocol server that stores Bluesky posts. */
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
import { originOf, ServerAddress } from '../origin.ts';
import { ask, errorName, failure, requireDeleted } from './api.ts';
import { hosted } from './connect.ts';
import { uploadImages } from './images.ts';
import { readMetrics, URIS_MAX } from './metrics.ts';
import { buildRecord, POSTS, recordText } from './record.ts';
import { type BlueskyCredential, commandLoggedIn, logIn, renewal } from './credential.ts';
import { makeTid } from './tid.ts';
import { GRAPHEMES } from '../text.ts';
import { settings } from './settings.ts';

const BlueskyCredentialsInput = z.strictObject({
  identifier: z
    .string()
    .min(1)
    .max(320)
    .describe('Handle, such as alice.bsky.social, or the e-mail address of the account.')
    .register(fieldFacts, { label: 'Handle', kind: 'text' }),
  appPassword: z
    .string()
    .min(1)
    .max(512)
    .describe('An app password, made in the settings of the account under Privacy and security.')
    .register(fieldFacts, { label: 'App password', kind: 'secret' }),
  service: ServerAddress.optional()
    .describe(
      'Where the account logs in, when that is not the default server of this install: https://bsky.social or the address of another server.',
    )
    .register(fieldFacts, { label: 'Service', kind: 'server' }),
});
type BlueskyCredentialsInput = z.infer<typeof BlueskyCredentialsInput>;

const FoundRecord = z.object({ value: z.object({ text: z.string() }) });

export const bluesky = definePlatform<BlueskyCredential, BlueskyCredentialsInput>({
  id: 'bluesky',
  name: 'Bluesky',
  kind: 'broadcast',
  settings,
  text: { maxLength: 300, unit: GRAPHEMES, maxBytes: 3000 },
  images: {
    max: 4,
    maxBytes: 2_000_000,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    altTextMax: 2000,
  },
  thread: { max: 24, onRefusal: 'keep' },
  firstComment: null,
  permalink: true,
  metrics: ['likes', 'reposts', 'replies'],
  metricsBatch: { max: URIS_MAX, shared: true },
  // We choose the record's key and only ever create it: a repeated call finds its own record and adopts it.
  recovery: { repeatWithinMs: Infinity, readBack: true },
  concurrency: { perProcess: 50, perConnection: 4 },
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://docs.bsky.app/docs/advanced-guides/posts',
    'https://docs.bsky.app/docs/api/com-atproto-repo-put-record',
    'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
    'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/images.json',
    'https://docs.bsky.app/docs/api/app-bsky-feed-get-posts',
  ],
  credentials: BlueskyCredentialsInput,
  hosted,
  renewal,
  connectAccount,
  prepare: uploadImages,
  publish,
  readBack,
  remove,
  readMetrics,
  makeToken: makeTid,
});

async function connectAccount(
  input: BlueskyCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<BlueskyCredential>> {
  const { did, handle, credential } = await withoutPublishing(() =>
    logIn(io, {
      service: input.service === undefined ? io.endpoints.BLUESKY_SERVICE_URL : originOf(input.service),
      // Users often copy handles with a leading @ or with invisible characters.
      identifier: input.identifier
        .replace(/\p{Cf}/gu, '')
        .trim()
        .replace(/^@/, ''),
      appPassword: input.appPassword.trim(),
    }),
  );
  return { platformAccountId: did, handle, credential };
}

async function publish(session: Session<BlueskyCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const record = await withoutPublishing(() => buildRecord(io, session.credential.pds, part));
  const answer = await commandLoggedIn(session, io, 'com.atproto.repo.putRecord', {
    // Creates the record only if this key is free.
    input: { ...addressOf(session, part), record, swapRecord: null },
  });
  if (answer.status === 200) return published(session, answer.body);
  if (errorName(answer) !== 'InvalidSwap') throw failure(answer);
  const existing = await readBack(session, part, io);
  if (existing !== null) return existing;
  throw new PlatformFailure('unavailable', 'Another post on Bluesky has the key of this one; nothing was posted.');
}

async function readBack(
  session: Session<BlueskyCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | null> {
  const answer = await ask(io, session.credential.pds, 'com.atproto.repo.getRecord', addressOf(session, part));
  if (errorName(answer) === 'RecordNotFound') return null;
  const found = FoundRecord.safeParse(answer.body);
  if (answer.status !== 200 || !found.success) {
    throw new PlatformFailure('unknown', `Bluesky could not be asked for the post: HTTP ${answer.status}.`);
  }
  return found.data.value.text === recordText(part) ? published(session, answer.body) : null;
}

async function remove(session: Session<BlueskyCredential>, post: Published, io: PlatformIo): Promise<void> {
  const rkey = keyOf(post.platformPostId);
  const address = { repo: session.platformAccountId, collection: POSTS, rkey };
  await withoutPublishing(async () => {
    // Answers 200 whether or not the record exists.
    const answer = await commandLoggedIn(session, io, 'com.atproto.repo.deleteRecord', { input: address });
    requireDeleted(answer, answer.status === 200);
  });
}

function addressOf(session: Session<BlueskyCredential>, part: SendPart) {
  return { repo: session.platformAccountId, collection: POSTS, rkey: part.token };
}

function published(session: Session<BlueskyCredential>, body: unknown): Published {
  const uri = stringField(body, 'uri');
  const cid = stringField(body, 'cid');
  if (uri === undefined || cid === undefined) {
    throw new PlatformFailure('unknown', 'Bluesky answered without the address of the post.');
  }
  const url = `https://bsky.app/profile/${session.platformAccountId}/post/${keyOf(uri)}`;
  return { platformPostId: uri, url, ref: { cid } };
}

/** Returns the record's key: the last segment of its URI. */
function keyOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}
