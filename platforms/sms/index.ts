/** SMS: one phone number that receives messages from this install's Twilio account. */
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
import { platformWords, stringField, withoutPublishing } from '../http.ts';
import { accountOf, API_VERSION, callTwilio, failure } from './api.ts';
import { findMessage, isService } from './read-back.ts';
import { countSegments } from './segments.ts';
import { UTF16_UNITS } from '../text.ts';
import { settings } from './settings.ts';

const SmsCredentialsInput = z.strictObject({
  to: z
    .string()
    .trim()
    .regex(/^\+[1-9]\d{6,14}$/, 'a number in international form, such as +15550100123')
    .describe('Number that the messages go to, in international form, such as +15550100123.')
    .register(fieldFacts, { label: 'To', kind: 'text' }),
});
type SmsCredentialsInput = z.infer<typeof SmsCredentialsInput>;

const Accepted = z.object({ sid: z.string(), status: z.string() });

export const sms = definePlatform<SmsCredentialsInput, SmsCredentialsInput>({
  id: 'sms',
  name: 'SMS',
  kind: 'messaging',
  settings,
  countsAsMessage: true,
  // Twilio says 1,600 characters without defining them; the count of UTF-16 units is never lower.
  text: { maxLength: 1_600, unit: UTF16_UNITS, segments: countSegments },
  images: null,
  thread: null,
  firstComment: null,
  permalink: false,
  metrics: [],
  // The API has no idempotency, so no call is ever repeated.
  recovery: { repeatWithinMs: 0, readBack: true },
  concurrency: { perProcess: 20, perConnection: 1 },
  needs: {
    settings: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
    isMet: ({ apps }) => apps.twilio !== null,
  },
  repeatsAccounts: true,
  connect: ['credentials'],
  apiVersion: API_VERSION,
  source: [
    'https://www.twilio.com/docs/messaging/api/message-resource',
    'https://www.twilio.com/docs/api/errors',
    'https://www.twilio.com/docs/glossary/what-sms-character-limit',
  ],
  credentials: SmsCredentialsInput,
  hosted: null,
  connectAccount,
  checkApp,
  publish,
  readBack,
});

/** Only a message could show whether the number exists, so this checks only that Twilio serves the account. */
async function connectAccount(
  { to }: SmsCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<SmsCredentialsInput>> {
  await checkApp(io);
  return { platformAccountId: to, handle: to, credential: { to } };
}

/** Reads the account. */
function checkApp(io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const answer = await callTwilio(io, accountOf(io), '.json');
    if (answer.status !== 200) throw failure(answer);
    const status = stringField(answer.body, 'status');
    if (status !== 'active') {
      throw new PlatformFailure(
        'unavailable',
        `This install’s account at Twilio is ${platformWords(status ?? 'unknown')}.`,
      );
    }
  });
}

async function publish(
  { credential }: Session<SmsCredentialsInput>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published> {
  if (part.step !== 'head') throw new Error(`SMS makes no part of the kind ${part.step}`);
  const account = accountOf(io);
  const sender = isService(account) ? { MessagingServiceSid: account.from } : { From: account.from };
  const form = { To: credential.to, ...sender, Body: part.text.toWellFormed() };
  const answer = await callTwilio(io, account, '/Messages.json', form);
  if (answer.status !== 201) throw failure(answer);
  const accepted = Accepted.safeParse(answer.body);
  if (!accepted.success) throw new PlatformFailure('unknown', 'Twilio answered without the message it made.');
  const { sid, status } = accepted.data;
  if (status === 'failed') {
    const words = platformWords(stringField(answer.body, 'error_message') ?? 'the message failed');
    throw new PlatformFailure('rejected', `Twilio refused: ${words}`);
  }
  return { platformPostId: sid, url: null };
}

async function readBack(
  { credential }: Session<SmsCredentialsInput>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | PlatformFailure | null> {
  const found = await findMessage(io, accountOf(io), credential.to, part);
  return typeof found === 'string' ? { platformPostId: found, url: null } : found;
}
