import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingImage, PlatformIo, SendPart } from '../../platforms/contract.ts';
import { subjectOf } from '../../platforms/email/compose.ts';
import { email } from '../../platforms/email/index.ts';
import { createMailServer } from '../../server/mail.ts';
import { parseSmtpUrl } from '../../server/mail-settings.ts';
import { type FakeMailServer, MAILBOX, type MailFault, startFakeMail } from './fakes/fake-mail.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TO = 'reader@towers.example';
const IMAGE: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A "bell" & <rope>',
};

const clock = new StoppedClock();
let fake: FakeMailServer;

beforeEach(async () => {
  fake = await startFakeMail();
});

afterEach(() => fake.close());

const FROM = { name: 'The Bells', address: MAILBOX.from };

function io(url = fake.url): PlatformIo {
  return { ...testIo(clock.now), mail: createMailServer({ server: parseSmtpUrl(url), from: FROM }) };
}

const connect = (url = fake.url) => email.connectAccount({ to: TO }, io(url));
const sessionWith = (more: { subject?: string } = {}) =>
  sessionOf({ platformAccountId: TO, handle: TO, credential: { to: TO, ...more } });
const part = (text: string, images?: readonly OutgoingImage[]): SendPart => ({
  ...headPart(text, '01a1fc8b-21bd', clock.now()),
  ...(images !== undefined && { images }),
});
const publish = (text: string, images?: readonly OutgoingImage[]) =>
  email.publish(sessionWith(), part(text, images), io());

/** The headers of the last message, unfolded. */
function header(name: string): string | undefined {
  const [head = ''] = (fake.messages().at(-1)?.raw ?? '').split('\r\n\r\n');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head.replace(/\r\n[ \t]+/g, ' '))?.[1];
}

describe('credentials', () => {
  it.each([
    [{ to: TO }, true],
    [{ to: TO, subject: 'News of the bells' }, true],
    [{ to: `${TO}, other@towers.example` }, false],
    [{ to: `Reader <${TO}>` }, false],
    [{ to: `${TO}\r\nBcc: other@towers.example` }, false],
    [{ to: TO, subject: 'News\r\nBcc: other@towers.example' }, false],
    [{ to: TO, subject: ' ' }, false],
    [{ to: TO, subject: 'x'.repeat(79) }, false],
    [{ to: TO, from: 'me@towers.example' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(email.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the address after the server has accepted the credential', async () => {
    expect(await connect()).toEqual({ platformAccountId: TO, handle: TO, credential: { to: TO } });
    expect(fake.messages()).toEqual([]);
  });

  it('is unavailable when the server refuses the credential, and does not show it', async () => {
    const wrong = fake.url.replace('the%3Ap%40ss', 'mistyped');

    expect(await failureOf(connect(wrong))).toEqual({
      kind: 'unavailable',
      message:
        'The mail server accepts nothing for now; nothing was posted. Invalid login: 535 5.7.8 Authentication failed',
    });
  });

  it('is unavailable when the server cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });

  it('sends no password to a server without TLS', async () => {
    const server = { ...parseSmtpUrl(fake.url), requireTls: true };
    const plain = { ...io(), mail: createMailServer({ server, from: FROM }) };

    expect(await failureOf(email.connectAccount({ to: TO }, plain))).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a message', () => {
  it('contains the post as plain text and as HTML, with its first line as the subject', async () => {
    const published = await publish('Ring the <bells> & ropes\n\nSecond\nthird');

    const [message] = fake.messages();
    expect(published).toEqual({ platformPostId: '<01a1fc8b-21bd@bells.example>', url: null });
    expect(message).toMatchObject({ sender: MAILBOX.from, recipient: TO });
    expect([header('From'), header('To'), header('Subject')]).toEqual([
      `The Bells <${MAILBOX.from}>`,
      TO,
      'Ring the <bells> & ropes',
    ]);
    expect(header('Content-Type')).toMatch(/^multipart\/alternative/);
    expect(message?.raw).toContain('Ring the <bells> & ropes\r\n\r\nSecond\r\nthird');
    expect(message?.raw).toContain('<p>Ring the &lt;bells&gt; &amp; ropes</p>\r\n<p>Second<br>\r\nthird</p>');
  });

  it('has the id and the date of its attempt, the same on each attempt', async () => {
    await publish('hello');
    await publish('hello');

    const ids = fake.messages().map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim());
    expect(ids).toEqual(['<01a1fc8b-21bd@bells.example>', '<01a1fc8b-21bd@bells.example>']);
    expect(header('Date')).toBe('Sat, 21 Nov 2026 09:00:00 +0000');
    expect(header('Auto-Submitted')).toBe('auto-generated');
  });

  it('has the subject of its connection', async () => {
    await email.publish(sessionWith({ subject: 'News of the bells' }), part('hello'), io());

    expect(header('Subject')).toBe('News of the bells');
  });

  it('has only its own headers, for any text', async () => {
    await publish('Subject line\r\nBcc: other@towers.example\r\n\r\n.\r\nMAIL FROM:<x@y.example>');

    expect([header('Subject'), header('Bcc')]).toEqual(['Subject line', undefined]);
    expect(fake.messages().length).toBe(1);
    expect(fake.messages()[0]?.recipient).toBe(TO);
  });

  it.each(['one\rtwo\r\rthree', 'one\r\ntwo\r\n\r\nthree', 'one\ntwo\r\n\rthree'])(
    'has the lines of its text in both forms: %j',
    async (text) => {
      await publish(text);

      const raw = fake.messages()[0]?.raw ?? '';
      expect(raw).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
      expect(raw).toContain('one\r\ntwo\r\n\r\nthree');
      expect(raw).toContain('<p>one<br>\r\ntwo</p>\r\n<p>three</p>');
    },
  );

  it('shows its images in order, with their alt text', async () => {
    await publish('look', [IMAGE, { ...IMAGE, contentType: 'image/jpeg', altText: '' }]);

    const raw = fake.messages()[0]?.raw ?? '';
    const unfolded = raw.replace(/=\r\n/g, '').replaceAll('=3D', '=');
    expect(unfolded).toContain(
      '<img src="cid:01a1fc8b-21bd.1@images" alt="A &quot;bell&quot; &amp; &lt;rope&gt;" width="3" height="2"',
    );
    expect(unfolded).toContain('<img src="cid:01a1fc8b-21bd.2@images" alt="" width="3" height="2"');
    expect([...raw.matchAll(/^Content-ID: (.*)$/gim)].map(([, id]) => id?.trim())).toEqual([
      '<01a1fc8b-21bd.1@images>',
      '<01a1fc8b-21bd.2@images>',
    ]);
    expect([...raw.matchAll(/^Content-Disposition: (.*)$/gim)].map(([, value]) => value?.trim())).toEqual([
      'inline; filename=image-1.png',
      'inline; filename=image-2.jpeg',
    ]);
    expect(raw).toContain(Buffer.from('a picture').toString('base64'));
  });

  it('is not created for a reply, which email does not support', async () => {
    await expect(email.publish(sessionWith(), { ...part('two'), step: 'reply' }, io())).rejects.toThrow(
      'no part of the kind reply',
    );
  });
});

describe('subjectOf', () => {
  it.each([
    ['one line', 'one line'],
    ['\n \n  second line  \nthird', 'second line'],
    ['tab\tand\u0000null', 'tab and null'],
    ['a\u2028b', 'a'],
    ['x'.repeat(78), 'x'.repeat(78)],
    ['x'.repeat(79), `${'x'.repeat(77)}…`],
    ['👩‍👩‍👧‍👦'.repeat(79), `${'👩‍👩‍👧‍👦'.repeat(77)}…`],
    [`${'x'.repeat(76)} yz`, `${'x'.repeat(76)}…`],
  ])('of %j is %j', (text, subject) => {
    expect(subjectOf(text)).toBe(subject);
  });
});

describe('a message that was not sent', () => {
  it.each<[string, MailFault]>([
    ['unavailable', { at: 'connect', reply: 421 }],
    ['unavailable', { at: 'connect', reply: 554 }],
    ['unavailable', { at: 'auth', reply: 535 }],
    ['unavailable', { at: 'auth', reply: 454 }],
    ['unavailable', { at: 'sender', reply: 553 }],
    ['unavailable', { at: 'sender', reply: 451 }],
    ['rejected', { at: 'sender', reply: 552 }],
    ['rejected', { at: 'recipient', reply: 550 }],
    ['rejected', { at: 'recipient', reply: 554 }],
    ['unavailable', { at: 'recipient', reply: 450 }],
    ['unavailable', { at: 'recipient', reply: 452 }],
    ['unavailable', { at: 'recipient', reply: 530 }],
    ['unavailable', 'drops_recipient'],
    ['unavailable', { at: 'message', reply: 451 }],
    ['rejected', { at: 'message', reply: 552 }],
    ['rejected', { at: 'message', reply: 554 }],
    ['unknown', 'drops_before'],
    ['unknown', 'drops_after'],
  ])('is %s by %j', async (kind, fault) => {
    fake.faults.push(fault);

    expect((await failureOf(publish('hello'))).kind).toBe(kind);
    expect(fake.messages().length).toBe(fault === 'drops_after' ? 1 : 0);
  });

  it('is rejected when it exceeds the server’s size limit', async () => {
    await fake.close();
    fake = await startFakeMail({ size: 1_000 });

    expect(await failureOf(publish('x'.repeat(2_000)))).toEqual({
      kind: 'rejected',
      message: 'The mail server refused: Message size larger than allowed 1000',
    });
  });

  it('is rejected with the server’s message', async () => {
    fake.faults.push({ at: 'recipient', reply: 550, words: '5.1.1 No such reader' });

    expect((await failureOf(publish('hello'))).message).toBe(
      "The mail server refused: Can't send mail - all recipients were rejected: 550 5.1.1 No such reader",
    );
  });

  it('was not delivered when the timeout comes before the transfer of the message', async () => {
    const time = new AbortController();
    await fake.close();
    fake = await startFakeMail({ onMailFrom: () => time.abort() });

    const call = email.publish(sessionWith(), part('hello'), { ...io(), signal: time.signal });

    expect(await failureOf(call)).toMatchObject({ kind: 'unavailable' });
  });

  it('may be delivered when the timeout comes after the transfer', async () => {
    const time = new AbortController();
    await fake.close();
    fake = await startFakeMail({ onData: (stream) => void stream.on('end', () => time.abort()).resume() });

    const call = email.publish(sessionWith(), part('hello'), { ...io(), signal: time.signal });

    expect(await failureOf(call)).toMatchObject({ kind: 'unknown' });
  });

  it('was not delivered when the timeout comes before the first command', async () => {
    const signal = AbortSignal.abort();

    const call = email.publish(sessionWith(), part('hello'), { ...io(), signal });

    expect([(await failureOf(call)).kind, fake.messages()]).toEqual(['unavailable', []]);
  });

  it('is unavailable when the settings have been removed', async () => {
    expect(await failureOf(email.publish(sessionWith(), part('hello'), testIo(clock.now)))).toMatchObject({
      kind: 'unavailable',
    });
  });
});
