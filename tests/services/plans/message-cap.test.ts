/**
 * The cap on messages a day counts SMS and email together, exactly, also under concurrent requests
 * (docs/contract/errors-and-limits.md#messages).
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAccount, type TestAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';
import { startFakeTwilio, TWILIO } from '../../platforms/fakes/fake-twilio.ts';
import { NO_POST } from '../../harness/expected.ts';

const CAP = 3;
const DAY_MS = 86_400_000;
const now = () => world.clock.now();
const [twilio, mail] = [await startFakeTwilio({ now }), await startFakeMail()];
afterAll(() => Promise.all([twilio.close(), mail.close()]));
const world = await startWorld({
  env: {
    TWILIO_API_URL: twilio.url,
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: TWILIO.authToken,
    TWILIO_FROM: TWILIO.from,
    SMTP_URL: mail.url,
    SMTP_FROM: MAILBOX.from,
    MESSAGES_PER_DAY: String(CAP),
  },
});

let account: TestAccount;
beforeEach(async () => {
  account = await makeAccount(world);
  const connect = (platformId: string, credentials: object) =>
    world.rest('POST /connections', { key: account.key, body: { platformId, slug: platformId, credentials } });
  await connect('sms', { to: '+15550100123' });
  await connect('email', { to: 'reader@bells.example' });
  await connectSandbox(world, { key: account.key });
});

const midnight = () => new Date(Math.ceil((now().getTime() + 1) / DAY_MS) * DAY_MS);
const inAMinute = () => new Date(now().getTime() + 60_000).toISOString();
const overMessage = (most: string) =>
  `The account may send ${most} a day, SMS and email together, and none is left until ${midnight().toISOString()}.`;

const post = (slugs: string[], more: object = {}) =>
  world.rest('POST /posts', { key: account.key, body: { text: 'Ding', connectionSlugs: slugs, ...more } });
const codesOf = ({ body }: { body: { results: { error: { code: string } | null }[] } }) =>
  body.results.map(({ error }) => error?.code ?? null);
const usage = async () => {
  const { usage: used, caps } = (await world.rest('GET /account', { key: account.key })).body.account;
  return [used.messagesToday, caps.messagesPerDay];
};

describe('immediate sends', () => {
  it('over the cap fail their result with limit_exceeded and store nothing; other platforms continue', async () => {
    await post(['sms', 'email']);

    const answer = await post(['email', 'sms', 'sandbox']);

    expect(answer.status).toBe(200);
    expect(answer.body.results[1]).toEqual({
      connectionSlug: 'sms',
      ...NO_POST,
      error: { code: 'limit_exceeded', message: overMessage('3 messages') },
    });
    expect(codesOf(answer)).toEqual([null, 'limit_exceeded', null]);
    expect(await usage()).toEqual([CAP, CAP]);
    const events = await world.sql(`select id from events where account_id = $1 and name = 'post.failed'`, [
      account.id,
    ]);
    expect(events).toEqual([]);
  });

  it('over the cap get 403 on the simple endpoint', async () => {
    await post(['sms', 'email']);
    await post(['sms']);

    const { status, body } = await world.rest('POST /post/email', {
      key: account.key,
      raw: 'Ding',
      headers: { 'content-type': 'text/plain' },
    });

    expect([status, body.error, body.message]).toEqual([403, 'limit_exceeded', overMessage('3 messages')]);
  });

  it('are exactly as many as the cap for ten concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => post([n % 2 === 0 ? 'sms' : 'email'])));

    const codes = answers.flatMap(codesOf);
    expect(codes.filter((code) => code === null)).toHaveLength(CAP);
    expect(codes.filter((code) => code === 'limit_exceeded')).toHaveLength(10 - CAP);
  });

  it('are possible again at 00:00 UTC', async () => {
    await post(['sms', 'email']);
    await post(['sms']);
    world.clock.set(midnight());

    expect(codesOf(await post(['sms']))).toEqual([null]);
  });

  it('are checked by validation', async () => {
    await post(['sms', 'email']);
    await post(['sms']);

    const { body } = await world.rest('POST /posts/validate', {
      key: account.key,
      body: { text: 'Ding', connectionSlugs: ['email', 'sandbox'] },
    });

    expect(codesOf({ body })).toEqual(['limit_exceeded', null]);
  });
});

describe('scheduled sends', () => {
  it('over the cap are deferred to 00:00 UTC with post.rescheduled (fair_use), and sent then', async () => {
    const ids: string[] = [];
    for (let number = 0; number < CAP + 1; number += 1) {
      const { body } = await post(['sms'], { scheduledFor: inAMinute() });
      ids.push(body.results[0].postId);
    }
    const last = ids.at(-1) ?? '';

    await world.advance(60_000);

    const statusOf = async (id: string) =>
      (await world.rest(`GET /posts/${id}`, { key: account.key })).body.post.status;
    expect(await Promise.all(ids.map(statusOf))).toEqual(['sent', 'sent', 'sent', 'scheduled']);
    expect(await eventsAbout(world, last)).toMatchObject([
      {
        name: 'post.rescheduled',
        payload: { post: { id: last, scheduledFor: midnight().toISOString(), reason: 'fair_use' } },
      },
    ]);
    world.clock.set(midnight());
    await world.runDue();
    expect(await statusOf(last)).toBe('sent');
  });
});

describe('drafts', () => {
  it('fail when they are published over the cap, because only scheduled posts wait for capacity', async () => {
    const { body: made } = await post(['sms'], { isDraft: true });
    const [{ postId }] = made.results;
    await post(['sms', 'email']);
    await post(['sms']);

    const { status, body } = await world.rest(`POST /posts/${postId}/publish`, { key: account.key, body: {} });

    expect(status).toBe(200);
    expect(body.result).toMatchObject({ postId, status: 'failed', error: { code: 'limit_exceeded' } });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.failed']);
  });
});

describe('the cap of an account', () => {
  it('overrides the cap of the install, and can also be unlimited', async () => {
    await world.sql('update accounts set has_own_message_cap = true, messages_per_day = 1 where id = $1', [account.id]);
    const [first, second] = [await post(['sms']), await post(['email'])];
    await world.sql('update accounts set messages_per_day = null where id = $1', [account.id]);
    const third = await post(['sms', 'email']);

    expect([first, second, third].map(codesOf)).toEqual([[null], ['limit_exceeded'], [null, null]]);
    expect(second.body.results[0].error.message).toBe(overMessage('1 message'));
    expect(await usage()).toEqual([3, null]);
  });

  it('excludes failed messages', async () => {
    twilio.faults.push({ code: 21_610 });

    const answer = await post(['sms']);

    expect(codesOf(answer)).toEqual(['platform_rejected']);
    expect(await usage()).toEqual([0, CAP]);
  });
});
