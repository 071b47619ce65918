/** Mails to owners about posts that wait: few, and never more than an address to decide at. */
import { afterAll, expect, it } from 'vitest';
import { mailPending } from '../../../services/approvals/mail-pending.ts';
import { beforeTransactions } from '../../harness/interleave.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());
const world = await startWorld({ env: { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from } });
const { secret } = await world.key({ approval: 'required' });
const MINUTE = 60_000;

async function ask(fields: object = {}): Promise<string> {
  const body = { text: 'A text that stays in the console', connectionSlugs: [world.sandboxSlug], ...fields };
  return (await world.rest('POST /posts', { key: secret, body })).body.results[0].postId;
}

/** Subjects of the mails so far. */
const subjects = () => mail.messages().map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim());

it('gathers what is asked within two minutes, and is silent for half an hour after a mail', async () => {
  await ask({ scheduledFor: new Date(world.clock.now().getTime() + 60 * MINUTE).toISOString() });
  await world.advance(MINUTE);
  await ask();
  expect(subjects()).toEqual([]);

  await world.advance(MINUTE);
  expect(subjects()).toEqual(['2 posts wait for your approval']);
  const raw = mail.messages()[0]?.raw ?? '';
  expect(raw.replaceAll('=\r\n', '')).toContain(`${world.context.config.publicUrl}/approvals`);
  expect(raw).toContain('A key');
  expect(raw).not.toContain('stays in the console');

  await ask();
  await world.advance(29 * MINUTE);
  expect(subjects()).toHaveLength(1);
  await world.advance(MINUTE);
  expect(subjects()).toEqual(['2 posts wait for your approval', 'A post waits for your approval']);
});

it('does not mention what was decided before it is sent', async () => {
  const before = subjects().length;
  const postId = await ask();
  await world.rest(`POST /posts/${postId}/reject`, { body: { reason: 'No.' } });

  await world.advance(60 * MINUTE);

  expect(subjects()).toHaveLength(before);
});

it('is sent once by two workers', async () => {
  const before = subjects().length;
  await ask();
  world.clock.advance(60 * MINUTE);

  await Promise.all([world.runDue(), world.runDue()]);

  expect(subjects()).toHaveLength(before + 1);
});

it.each([
  [
    'deletes its post',
    async (postId: string) => {
      await world.rest(`DELETE /posts/${postId}`, { key: secret });
      return ask();
    },
  ],
  ['replaces its post', (postId: string) => ask({ replaces: [postId] })],
])('keeps half an hour between two mails when the requester %s and asks again', async (_, askAgain) => {
  await world.advance(60 * MINUTE);
  const before = subjects().length;
  let postId = await ask();
  await world.advance(2 * MINUTE);
  expect(subjects()).toHaveLength(before + 1);

  for (let turn = 0; turn < 14; turn += 1) {
    postId = await askAgain(postId);
    await world.advance(2 * MINUTE);
  }
  expect(subjects()).toHaveLength(before + 1);

  await world.advance(2 * MINUTE);
  expect(subjects()).toHaveLength(before + 2);
});

it('is sent once by two workers when a post is asked for between them', async () => {
  await world.advance(60 * MINUTE);
  const before = subjects().length;
  await ask();
  world.clock.advance(2 * MINUTE);
  const { signal } = new AbortController();
  const late = beforeTransactions(world.context, async () => {
    await mailPending(world.context, signal);
    await ask();
  });

  await mailPending(late, signal);
  await world.runDue();

  expect(subjects()).toHaveLength(before + 1);
});
