/** Emails to owners are sent at most once, regardless of failures of the mail server or the process. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { nextNoticeAt } from '../../../services/notices/send-owner-notices.ts';
import { storeOwnerNotices } from '../../../services/notices/store-owner-notices.ts';
import { EMAIL, OWNER_ENV } from '../../harness/owner.ts';
import { startPeer } from '../../harness/peer.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, type MailFault, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());
const world = await startWorld({ env: { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from } });
const [owner] = await world.sql<{ account_id: string }>('select account_id from owners');

let before = 0;
beforeEach(async () => {
  before = mail.messages().length;
  await world.sql('delete from owner_notices');
  await storeOwnerNotices(world.context, world.db.em(), owner?.account_id ?? '', {
    subject: 'A subject',
    text: 'Some words.',
  });
});

const mails = () => mail.messages().slice(before);
const rows = () => world.sql('select status, attempts from owner_notices');
const HOUR_MS = 3_600_000;

it('an email is plain text, to the owner', async () => {
  await world.runDue();

  expect(mails()).toEqual([{ sender: MAILBOX.from, recipient: EMAIL, raw: expect.stringContaining('Some words.') }]);
  expect(mails()[0]?.raw).toContain('Content-Type: text/plain');
  await world.advance(HOUR_MS);
  expect(mails()).toHaveLength(1);
  expect(await rows()).toEqual([{ status: 'sent', attempts: 1 }]);
});

describe('is tried again', () => {
  it.each<[string, MailFault]>([
    ['when the server refuses the session', { at: 'connect', reply: 421 }],
    ['when the line is cut before the message', 'drops_recipient'],
    ['when the server asks to come back later', { at: 'message', reply: 451 }],
  ])('%s', async (_case, fault) => {
    mail.faults.push(fault);
    await world.runDue();
    const first = [mails().length, ...(await rows())];

    await world.advance(60_000);

    expect(first).toEqual([0, { status: 'pending', attempts: 1 }]);
    expect([mails().length, ...(await rows())]).toEqual([1, { status: 'sent', attempts: 2 }]);
  });

  it('five times, then abandoned', async () => {
    mail.faults.push(...Array.from({ length: 6 }, () => ({ at: 'connect', reply: 421 }) as const));
    await world.runDue();
    for (let hour = 0; hour < 24; hour += 1) await world.advance(HOUR_MS);

    expect([mails().length, ...(await rows())]).toEqual([0, { status: 'failed', attempts: 6 }]);
    expect(await nextNoticeAt(world.context)).toBeNull();
  });
});

describe('is not tried again', () => {
  it.each<[string, MailFault, number]>([
    ['when the line is cut after the server took it', 'drops_after', 1],
    ['when the line is cut before the server took it, which looks the same', 'drops_before', 0],
    ['when the server refuses it for good', { at: 'message', reply: 550 }, 0],
  ])('%s', async (_case, fault, count) => {
    mail.faults.push(fault);
    await world.runDue();

    await world.advance(HOUR_MS);

    expect([mails().length, ...(await rows())]).toEqual([count, { status: 'failed', attempts: 1 }]);
  });

  it('when its process died during the send', async () => {
    await world.sql(`update owner_notices set status = 'sending', attempts = 1`);

    await world.advance(HOUR_MS);

    expect([mails().length, ...(await rows())]).toEqual([0, { status: 'sending', attempts: 1 }]);
  });

  it.skipIf(world.db.engine !== 'postgres')('by another worker at the same time', async () => {
    const peer = await startPeer(world);
    const { ownerNotices } = await import('../../../jobs/owner-notices.ts');
    const { signal } = new AbortController();

    await Promise.all([world.context, peer].map((context) => ownerNotices.run(context, signal)));

    expect(mails()).toHaveLength(1);
  });
});

it('nothing is stored if no mail server is configured', async () => {
  await using withoutMail = await startWorld({ env: OWNER_ENV });
  const [{ account_id: accountId } = { account_id: '' }] = await withoutMail.sql<{ account_id: string }>(
    'select account_id from owners',
  );

  await storeOwnerNotices(withoutMail.context, withoutMail.db.em(), accountId, {
    subject: 'A subject',
    text: 'Some words.',
  });

  expect(await withoutMail.sql('select id from owner_notices')).toEqual([]);
  expect(await nextNoticeAt(withoutMail.context)).toBeNull();
});
