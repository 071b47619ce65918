/**
 * Sends messages through the operator's mail server over SMTP. Each message has its own connection, so that its outcome
 * is never confused with that of another message.
 */
import { Readable } from 'node:stream';
import { MailFailure, type MailMessage, type MailServer, type MailStage } from '../platforms/mail.ts';
import type { MailConfig } from '../services/config.ts';

/** Time limits of a session with the server, in milliseconds. Sending a message has its own deadline in addition. */
const CONNECT_MS = 5_000;
const GREETING_MS = 10_000;
const SILENCE_MS = 30_000;

/**
 * Errors that the library raises itself, with the reply a server would give: a message above the announced size, a
 * malformed address.
 */
const OWN_REPLIES: Readonly<Record<string, number>> = { EMESSAGE: 552, EENVELOPE: 553 };

/** What the library reports about a failure. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

export function createMailServer(config: MailConfig): MailServer {
  const { address } = config.from;
  const { user, password = '' } = config.server;
  return {
    // One AUTH command carries both together.
    secrets: password === '' ? [] : [password, `\0${user}\0${password}`],
    domain: address.slice(address.lastIndexOf('@') + 1),
    verify: (signal) => inSession(config, signal, 'session', async () => undefined),
    send: async (message, signal) => {
      const raw = await compose(config, message);
      await inSession(config, signal, 'recipient', (session) => session.handOver(message.to, raw));
    },
  };
}

interface Session {
  handOver(to: string, raw: Buffer): Promise<void>;
}

/** @param afterLogin how far the message has come when the login is complete */
async function inSession(
  config: MailConfig,
  signal: AbortSignal,
  afterLogin: MailStage,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { host, port, secure, requireTls, user, password } = config.server;
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    requireTLS: requireTls,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  let stage: MailStage = 'session';
  const broken = Promise.withResolvers<never>();
  // A connection can break at any time, even while no promise waits for it.
  broken.promise.catch(() => undefined);
  connection.on('error', (error) => broken.reject(error));
  const giveUp = () => broken.reject(new Error('it did not answer in time'));
  signal.addEventListener('abort', giveUp, { once: true });
  const within = (step: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      broken.promise,
      new Promise<void>((resolve, reject) => step((error) => (error ? reject(error) : resolve()))),
    ]);
  try {
    signal.throwIfAborted();
    await within((done) => connection.connect(done));
    if (user !== undefined) await within((done) => connection.login({ user, pass: password ?? '' }, done));
    stage = afterLogin;
    await work({
      handOver: (to, raw) => {
        const envelope = { from: config.from.address, to, size: raw.length };
        const message = readOnce(raw, () => (stage = 'message'));
        return within((done) => connection.send(envelope, message, done));
      },
    });
    connection.quit();
  } catch (error) {
    connection.close();
    throw failureAt(stage, error as SmtpError);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** The library begins to read when the server has asked for the message; until then nothing can be delivered. */
function readOnce(raw: Buffer, begin: () => void): Readable {
  return new Readable({
    read() {
      begin();
      this.push(raw);
      this.push(null);
    },
  });
}

/** Replies that ask for different credentials. */
const LOGIN_REPLIES = [530, 534, 535, 538];

function failureAt(stage: MailStage, error: SmtpError): MailFailure {
  const reply = error.responseCode ?? OWN_REPLIES[error.code ?? ''] ?? null;
  // A refused sender address is the operator's configuration error, like refused credentials.
  const senderRefused = error.command === 'MAIL FROM' && reply !== 552;
  const ofOperator = stage === 'recipient' && (senderRefused || LOGIN_REPLIES.includes(reply ?? 0));
  return new MailFailure(ofOperator ? 'session' : stage, reply, error.message, error);
}

async function compose({ from }: MailConfig, message: MailMessage): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { messageId, date, to, subject, text, html, images } = message;
  return new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    messageId,
    date,
    text,
    ...(html !== undefined && { html }),
    // Prevents automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: images.map(({ cid, filename, contentType, bytes }) => ({
      cid,
      filename,
      contentType,
      content: Buffer.from(bytes),
      contentDisposition: 'inline',
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}
