/** A real SMTP server in this process, which stores the messages it accepts and simulates faults on request. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { AddressInfo } from 'node:net';
import type { Fault } from './wire.ts';

export const MAILBOX = { user: 'bells', password: 'the:p@ss/word', from: 'posts@bells.example' };

export interface FakeMail {
  readonly recipient: string;
  readonly sender: string;
  /** The raw message. */
  readonly raw: string;
}

/** A reply, and the SMTP command that it answers. */
export interface MailRefusal {
  readonly at: 'connect' | 'auth' | 'sender' | 'recipient' | 'message';
  readonly reply: number;
  readonly words?: string;
}

/**
 * Fault of the next message: a refusal or a network fault. `drops` and `fails` cut the connection before or after
 * the message is stored.
 */
export type MailFault =
  | MailRefusal
  | Extract<Fault, 'rate_limited' | `${'fails' | 'drops'}_${'before' | 'after'}`>
  | 'drops_recipient';

export interface FakeMailServer {
  /** In the format of SMTP_URL. */
  readonly url: string;
  readonly port: number;
  messages(): readonly FakeMail[];
  readonly faults: MailFault[];
  close(): Promise<void>;
}

export interface FakeMailOptions extends SMTPServerOptions {
  /** Port on loopback; any free one when absent. */
  readonly port?: number | undefined;
}

export async function startFakeMail({ port: asked = 0, ...options }: FakeMailOptions = {}): Promise<FakeMailServer> {
  const messages: FakeMail[] = [];
  const faults: MailFault[] = [];

  /** Consumes the next fault if it applies to the stage `at`. */
  function refusalAt(at: MailRefusal['at']): Error | null {
    const [fault] = faults;
    const wanted = typeof fault === 'object' ? fault : fault === 'rate_limited' ? LATER : undefined;
    if (wanted?.at !== at) return null;
    faults.shift();
    return Object.assign(new Error(wanted.words ?? 'refused as the test asks'), { responseCode: wanted.reply });
  }

  function cut(sessionId: string): void {
    for (const connection of server.connections) if (connection.id === sessionId) connection._socket.destroy();
  }

  const server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    // No client trusts the default certificate of the package, so STARTTLS is disabled.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onConnect: (_session, done) => done(refusalAt('connect')),
    onAuth: (auth, _session, done) => {
      const refusal = refusalAt('auth');
      const known = auth.username === MAILBOX.user && auth.password === MAILBOX.password;
      if (refusal === null && known) return done(null, { user: MAILBOX.user });
      return done(refusal ?? Object.assign(new Error('5.7.8 Authentication failed'), { responseCode: 535 }));
    },
    onMailFrom: (_address, _session, done) => done(refusalAt('sender')),
    onRcptTo: (_address, session, done) => {
      if (faults[0] === 'drops_recipient') {
        faults.shift();
        return cut(session.id);
      }
      return done(refusalAt('recipient'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refusal = refusalAt('message');
        if (refusal !== null) return done(refusal);
        const fault = faults.shift();
        const isKept = fault === undefined || fault === 'drops_after' || fault === 'fails_after';
        const { mailFrom, rcptTo } = session.envelope;
        const sender = mailFrom === false ? '' : mailFrom.address;
        if (isKept) {
          messages.push({ sender, recipient: rcptTo[0]?.address ?? '', raw: Buffer.concat(chunks).toString() });
        }
        return fault === undefined ? done(null, 'queued') : cut(session.id);
      });
    },
    ...options,
  });
  // Tests cut connections deliberately, so these errors are expected.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(asked, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const [user, password] = [MAILBOX.user, MAILBOX.password].map(encodeURIComponent);
  return {
    url: `smtp://${user}:${password}@127.0.0.1:${port}`,
    port,
    messages: () => messages,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of server.connections) connection._socket.destroy();
      }),
  };
}

const LATER: MailRefusal = { at: 'message', reply: 451, words: '4.7.1 Please try again later' };
