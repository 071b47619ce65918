/** Mastodon, and any other server with Mastodon's client API. */
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
import { originOf, ServerAddress } from '../origin.ts';
import { type Access, callMastodon, failure, requireDeleted } from './api.ts';
import { hosted } from './connect.ts';
import { mediaIdsOf, uploadImages } from './images.ts';
import { askAboutStatus } from './ask-about-status.ts';
import { readInstance } from './instance.ts';
import { readMetrics, STATUSES_MAX } from './metrics.ts';
import { findStatus, Status } from './read-back.ts';
import { GRAPHEMES } from '../text.ts';

const MastodonCredentialsInput = z.strictObject({
  instanceUrl: ServerAddress.describe('Address of the server, such as https://mastodon.social.').register(fieldFacts, {
    label: 'Server',
    kind: 'server',
  }),
  accessToken: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'Access token of an application with the scopes read and write, made in the settings of the account under Development.',
    )
    .register(fieldFacts, { label: 'Access token', kind: 'secret' }),
});
type MastodonCredentialsInput = z.infer<typeof MastodonCredentialsInput>;

/** The credential that is stored, encrypted, for a connection. */
interface MastodonCredential extends Access {
  /** The account's id on its server. */
  readonly accountId: string;
}

const Account = z.object({ id: z.string(), username: z.string() });

/** How long servers remember an Idempotency-Key, less a margin for clock differences and slow responses. */
const KEY_REMEMBERED_MS = (60 - 5) * 60_000;

/** Servers remember a key once they have stored the status, which takes a busy one some seconds. */
const KEY_STORED_MS = 15_000;

export const mastodon = definePlatform<MastodonCredential, MastodonCredentialsInput>({
  id: 'mastodon',
  name: 'Mastodon',
  kind: 'broadcast',
  text: { maxLength: 500, unit: GRAPHEMES, urlLength: 23 },
  images: {
    max: 4,
    maxBytes: 16_777_216,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    altTextMax: 1500,
    maxPixels: 33_177_600,
    // Not part of what servers tell about themselves.
    gif: { maxPixels: 921_600 },
  },
  thread: { max: 24, onRefusal: 'take_down' },
  firstComment: null,
  permalink: true,
  metrics: ['likes', 'reposts', 'replies'],
  metricsBatch: { max: STATUSES_MAX, shared: false },
  recovery: { repeatWithinMs: KEY_REMEMBERED_MS, repeatAfterMs: KEY_STORED_MS, readBack: true },
  concurrency: { perProcess: 50, perConnection: 2 },
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://docs.joinmastodon.org/user/posting/',
    'https://docs.joinmastodon.org/methods/statuses/',
    'https://docs.joinmastodon.org/entities/Instance/',
  ],
  credentials: MastodonCredentialsInput,
  hosted,
  connectAccount,
  prepare: uploadImages,
  publish,
  readBack,
  remove,
  readMetrics,
});

function connectAccount(
  input: MastodonCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<MastodonCredential>> {
  const access: Access = { origin: originOf(input.instanceUrl), accessToken: input.accessToken.trim() };
  return withoutPublishing(async () => {
    const answer = await callMastodon(io, access, '/api/v1/accounts/verify_credentials');
    const account = Account.safeParse(answer.body);
    // A redirect, a missing page or JSON of another kind means that the server is not Mastodon.
    if (answer.status < 400 ? !account.success : answer.status === 404) {
      throw new PlatformFailure('rejected', `${access.origin} does not answer as a Mastodon server.`);
    }
    if (!account.success) throw failure(answer);
    const { domain, limits } = await readInstance(io, access);
    return {
      platformAccountId: `${access.origin}/${account.data.id}`,
      handle: `${account.data.username}@${domain}`,
      credential: { ...access, accountId: account.data.id },
      ...(limits !== undefined && { limits }),
    };
  });
}

async function publish(session: Session<MastodonCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const answer = await callMastodon(io, session.credential, '/api/v1/statuses', {
    method: 'POST',
    idempotencyKey: part.token,
    json: {
      status: part.text,
      visibility: 'public',
      ...(part.prepared !== null && { media_ids: mediaIdsOf(part.prepared) }),
      ...(part.parent !== undefined && { in_reply_to_id: part.parent.platformPostId }),
    },
  });
  if (answer.status !== 200) throw failure(answer);
  const status = Status.safeParse(answer.body);
  if (!status.success) throw new PlatformFailure('unknown', 'The Mastodon server answered without the status it made.');
  return published(status.data);
}

async function readBack(
  session: Session<MastodonCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | null> {
  const { credential } = session;
  const status = await findStatus(io, credential, credential.accountId, part);
  return status === null ? null : published(status);
}

function remove(session: Session<MastodonCredential>, post: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const { answer, isGone } = await askAboutStatus(io, session.credential, post.platformPostId, 'DELETE');
    if (!isGone) requireDeleted(answer, answer.status === 200);
  });
}

function published(status: Status): Published {
  return { platformPostId: status.id, url: status.url ?? status.uri ?? null };
}
