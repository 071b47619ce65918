/** Email: one address that receives messages through this install's mail server. */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import {
  type ConnectedAccount,
  definePlatform,
  type FailureKind,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
  type Session,
} from '../contract.ts';
import { platformWords } from '../http.ts';
import { MailFailure, type MailServer } from '../mail.ts';
import { htmlOf, inlineImages, SUBJECT_MAX, subjectOf } from './compose.ts';
import { CHARACTERS } from '../text.ts';

const EmailCredentialsInput = z.strictObject({
  to: z
    .email()
    .max(254)
    .describe('Address that the messages go to.')
    .register(fieldFacts, { label: 'To', kind: 'text' }),
  subject: z
    .string()
    .trim()
    .min(1)
    // A pattern on a text of megabytes can exceed the engine's stack: the length ends the check.
    .max(SUBJECT_MAX, { abort: true })
    .regex(/^\P{Cc}*$/u, 'one line')
    .optional()
    .describe(`Subject of every message, at most ${SUBJECT_MAX} characters. Left out, the first line of each post.`)
    .register(fieldFacts, { label: 'Subject', kind: 'text' }),
});
type EmailCredentialsInput = z.infer<typeof EmailCredentialsInput>;

export const email = definePlatform<EmailCredentialsInput, EmailCredentialsInput>({
  id: 'email',
  name: 'Email',
  kind: 'messaging',
  countsAsMessage: true,
  // Mail itself has no limit; a common mail client truncates messages at about twice this length.
  text: { maxLength: 50_000, unit: CHARACTERS },
  images: {
    max: 5,
    // Five of these, encoded for mail, fit into 10,240,000 bytes, which is the default limit of Postfix.
    maxBytes: 1_400_000,
    // Some mail clients do not show WebP.
    types: ['image/png', 'image/jpeg', 'image/gif'],
    altTextMax: 1000,
  },
  thread: null,
  firstComment: null,
  permalink: false,
  metrics: [],
  // A repeat carries the same Message-ID. Receivers may use it to drop duplicates but need not. No server can be
  // queried.
  recovery: { repeatWithinMs: 0, readBack: false },
  concurrency: { perProcess: 10, perConnection: 1 },
  needs: { settings: ['SMTP_URL', 'SMTP_FROM'], isMet: ({ mail }) => mail !== null },
  repeatsAccounts: true,
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://www.rfc-editor.org/rfc/rfc5321',
    'https://www.rfc-editor.org/rfc/rfc5322',
    'https://www.postfix.org/postconf.5.html#message_size_limit',
  ],
  credentials: EmailCredentialsInput,
  hosted: null,
  connectAccount,
  publish,
});

/** Only a message could show whether the address exists, so this checks only that the server accepts the credential. */
async function connectAccount(
  input: EmailCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<EmailCredentialsInput>> {
  try {
    await serverOf(io).verify(io.signal);
  } catch (error) {
    throw failure(error);
  }
  return { platformAccountId: input.to, handle: input.to, credential: input };
}

async function publish(
  { credential }: Session<EmailCredentialsInput>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published> {
  if (part.step !== 'head') throw new Error(`Email makes no part of the kind ${part.step}`);
  const server = serverOf(io);
  const { token, startedAt, images = [] } = part;
  const text = part.text.toWellFormed();
  const messageId = `<${token}@${server.domain}>`;
  const message = {
    messageId,
    date: startedAt,
    to: credential.to,
    subject: credential.subject ?? subjectOf(text),
    text,
    html: htmlOf(text, images, token),
    images: inlineImages(images, token),
  };
  try {
    await server.send(message, io.signal);
  } catch (error) {
    throw failure(error);
  }
  return { platformPostId: messageId, url: null };
}

function serverOf({ mail }: PlatformIo): MailServer {
  if (mail !== null) return mail;
  throw new PlatformFailure('unavailable', 'Email is not set up on this install any more; nothing was posted.');
}

function failure(error: unknown): unknown {
  if (!(error instanceof MailFailure)) return error;
  const kind = kindOf(error);
  const words = platformWords(error.message);
  switch (kind) {
    case 'rejected':
      return new PlatformFailure(kind, `The mail server refused: ${words}`, { cause: error });
    case 'unavailable':
      return new PlatformFailure(kind, `The mail server accepts nothing for now; nothing was posted. ${words}`, {
        cause: error,
      });
    default:
      return new PlatformFailure(kind, `The mail server did not say whether it took the message: ${words}`, {
        cause: error,
      });
  }
}

/** The credential and the sender belong to the operator, so no caller can fix an error about them. */
function kindOf({ stage, reply }: MailFailure): FailureKind {
  if (stage === 'session') return 'unavailable';
  if (reply === null) return stage === 'message' ? 'unknown' : 'unavailable';
  return reply >= 500 ? 'rejected' : 'unavailable';
}
