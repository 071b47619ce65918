/** A real SMTP server in this process, which keeps what it takes, and misbehaves when it is told to. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { AddressInfo } from 'node:net';
import type { Fault } from './wire.ts';

export const MAILBOX = { user: 'bells', password: 'the:p@ss/word', from: 'posts@bells.example' };

export interface FakeMail {
  readonly recipient: string;
  readonly sender: string;
  /** As it came over the wire. */
  readonly raw: string;
}

/** A reply, and the command that it answers. */
export interface MailRefusal {
  readonly at: 'connect' | 'auth' | 'sender' | 'recipient' | 'message';
  readonly reply: number;
  readonly words?: string;
}

/** What befalls the next message: a refusal, or a fault. `drops` and `fails` cut the line, before or after it is kept. */
export type MailFault =
  | MailRefusal
  | Extract<Fault, 'rate_limited' | `${'fails' | 'drops'}_${'before' | 'after'}`>
  | 'drops_recipient';

export interface FakeMailServer {
  /** As SMTP_URL has it. */
  readonly url: string;
  readonly port: number;
  messages(): readonly FakeMail[];
  readonly faults: MailFault[];
  close(): Promise<void>;
}

export interface FakeMailOptions extends SMTPServerOptions {
  /** On loopback; any free one when left out. */
  readonly port?: number | undefined;
}

export async function startFakeMail({ port: asked = 0, ...options }: FakeMailOptions = {}): Promise<FakeMailServer> {
  const messages: FakeMail[] = [];
  const faults: MailFault[] = [];

  /** Takes the next fault where it is one that befalls `at`. */
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
    // The certificate that the package brings is nobody's.
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
  // Lines that are cut are what the tests are about.
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
