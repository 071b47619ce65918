/** Threads: texts with or without images. */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import { lookForContainer, makeContainer, PUBLISHABLE_MS, publishContainer } from '../meta/containers.ts';
import { type ConnectedAccount, definePlatform, PlatformFailure, type PlatformIo } from '../contract.ts';
import { withoutPublishing } from '../http.ts';
import { API_VERSION, callThreads, containersOf, failure, renewal, type ThreadsCredential } from './api.ts';
import { hosted } from './connect.ts';
import { EMOJI_BYTES } from './emoji-bytes.ts';
import { settings } from './settings.ts';

const ThreadsCredentialsInput = z.strictObject({
  accessToken: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .describe('Long-lived access token of the account, with threads_basic and threads_content_publish.')
    .register(fieldFacts, { label: 'Access token', kind: 'secret' }),
  refreshToken: z
    .string()
    .trim()
    .max(4096)
    .optional()
    .describe('Taken and dropped, so that what other platforms give fits here: Threads renews by the access token.')
    .register(fieldFacts, { label: 'Refresh token', kind: 'secret' }),
  expiresAt: z.iso
    .datetime({ offset: true })
    .optional()
    .describe(
      'When the access token ends. Given, it is renewed from ten days before; otherwise it is used until it is refused.',
    )
    .register(fieldFacts, { label: 'Expires at', kind: 'text' }),
});
type ThreadsCredentialsInput = z.infer<typeof ThreadsCredentialsInput>;

const Profile = z.object({ id: z.string(), username: z.string().min(1) });

export const threads = definePlatform<ThreadsCredential, ThreadsCredentialsInput>({
  id: 'threads',
  name: 'Threads',
  kind: 'broadcast',
  settings,
  text: { maxLength: 500, unit: EMOJI_BYTES },
  images: {
    max: 20,
    maxBytes: 8_000_000,
    types: ['image/jpeg', 'image/png'],
    altTextMax: 1000,
    ratio: { min: 1 / 10, max: 10, words: 'ratios from 1:10 to 10:1' },
    fetchedBy: 'THREADS_API_URL',
  },
  thread: null,
  firstComment: null,
  permalink: true,
  metrics: [],
  // A container is published at most once.
  recovery: { repeatWithinMs: PUBLISHABLE_MS, readBack: true },
  concurrency: { perProcess: 50, perConnection: 2 },
  connect: ['credentials'],
  apiVersion: API_VERSION,
  source: [
    'https://developers.facebook.com/docs/threads/posts/',
    'https://developers.facebook.com/docs/threads/overview/',
    'https://developers.facebook.com/docs/threads/troubleshooting/',
  ],
  credentials: ThreadsCredentialsInput,
  hosted,
  renewal,
  connectAccount,
  assemble: (session, post, io) => makeContainer(containersOf(session, io), post, io),
  publish: (session, part, io) => publishContainer(containersOf(session, io), part, io),
  readBack: (session, part, io) => lookForContainer(containersOf(session, io), part, io),
});

function connectAccount(
  { accessToken, expiresAt }: ThreadsCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<ThreadsCredential>> {
  return withoutPublishing(async () => {
    const answer = await callThreads(io, accessToken, 'me', { query: { fields: 'id,username' } });
    if (answer.status !== 200) throw failure(answer);
    const profile = Profile.safeParse(answer.body);
    if (!profile.success) throw new PlatformFailure('unavailable', 'Threads did not show whose access token this is.');
    // Only a token with publish permission can read this.
    const query = { fields: 'quota_usage' };
    const limit = await callThreads(io, accessToken, 'me/threads_publishing_limit', { query });
    if (limit.status !== 200) throw failure(limit);
    const { id, username } = profile.data;
    return { platformAccountId: id, handle: username, credential: { accessToken, expiresAt: expiresAt ?? null } };
  });
}
