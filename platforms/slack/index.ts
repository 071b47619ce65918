/** Slack: one channel of a workspace, which a bot posts to. */
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
import { callSlack, failure, type SlackCredential } from './api.ts';
import { findPlace } from './channel.ts';
import { checkApp, hosted } from './connect.ts';
import { filesOf, uploadImages } from './images.ts';
import { CHARACTERS } from '../text.ts';
import { settings } from './settings.ts';

const SlackCredentialsInput = z.strictObject({
  botToken: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .describe('Bot token of your app in the workspace, which begins with xoxb-, with chat:write and files:write.')
    .register(fieldFacts, { label: 'Bot token', kind: 'secret' }),
  channelId: z
    .string()
    .trim()
    .regex(/^[CGD][A-Z0-9]{1,31}$/, 'the id of a channel, such as C0123456789')
    .describe('Id of the channel, which stands at the end of its details, such as C0123456789.')
    .register(fieldFacts, { label: 'Channel id', kind: 'text' }),
});
type SlackCredentialsInput = z.infer<typeof SlackCredentialsInput>;

const Posted = z.object({ channel: z.string(), ts: z.string() });

export const slack = definePlatform<SlackCredential, SlackCredentialsInput>({
  id: 'slack',
  name: 'Slack',
  kind: 'messaging',
  settings,
  // Slack recommends this limit. It truncates at 40,000 after escaping, which this cannot reach: `&` becomes five
  // characters.
  text: { maxLength: 4_000, unit: CHARACTERS },
  images: {
    max: 10,
    // Slack accepts far more; this is the maximum for an upload here.
    maxBytes: 8_388_608,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    altTextMax: 1000,
  },
  thread: null,
  firstComment: null,
  permalink: false,
  metrics: [],
  // The API has no idempotency, and a bot that may write may not be allowed to read.
  recovery: { repeatWithinMs: 0, readBack: false },
  concurrency: { perProcess: 50, perConnection: 1 },
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://docs.slack.dev/reference/methods/chat.postMessage',
    'https://docs.slack.dev/reference/methods/files.completeUploadExternal',
    'https://docs.slack.dev/messaging/formatting-message-text',
  ],
  credentials: SlackCredentialsInput,
  hosted,
  connectAccount,
  checkApp,
  prepare: uploadImages,
  publish,
});

function connectAccount(credential: SlackCredentialsInput, io: PlatformIo): Promise<ConnectedAccount<SlackCredential>> {
  return withoutPublishing(async () => {
    const { teamId, teamName, channelName } = await findPlace(io, credential);
    return {
      platformAccountId: `${teamId}:${credential.channelId}`,
      handle: `${teamName} ${channelName}`,
      credential,
    };
  });
}

async function publish({ credential }: Session<SlackCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  if (part.step !== 'head') throw new Error(`Slack makes no part of the kind ${part.step}`);
  const { botToken, channelId } = credential;
  const text = escaped(part.text);
  if (part.prepared !== null) {
    const files = filesOf(part.prepared);
    const json = { files, channel_id: channelId, initial_comment: text };
    const answer = await callSlack(io, botToken, 'files.completeUploadExternal', { json });
    if (!answer.isOk) throw failure(answer);
    // Slack decides later which message has the files; the id of the first file identifies it permanently.
    return { platformPostId: `${channelId}:${files[0]?.id}`, url: null };
  }
  const answer = await callSlack(io, botToken, 'chat.postMessage', { json: { channel: channelId, text } });
  if (!answer.isOk) throw failure(answer);
  const posted = Posted.safeParse(answer.body);
  if (!posted.success) throw new PlatformFailure('unknown', 'Slack answered without the message it made.');
  return { platformPostId: `${posted.data.channel}:${posted.data.ts}`, url: null };
}

/** Escapes Slack's three control characters; unescaped, `<!channel>` in a text would notify everyone. */
function escaped(text: string): string {
  return text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
