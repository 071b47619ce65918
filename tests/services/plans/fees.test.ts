/**
 * Fees are charged once for a published post, never for an unpublished one, and posts without a payment method are
 * refused (docs/contract/errors-and-limits.md#plans).
 */
import { afterAll, describe, expect, it } from 'vitest';
import { createMissingCharges } from '../../../services/plans/write-missing-charges.ts';
import { makeAccount, type TestAccount } from '../../harness/accounts.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const server = await startFakeX({ now: () => world.clock.now() });
const world = await startWorld({
  env: { X_API_URL: server.url, X_POST_FEE_CENTS: '3', X_LINK_POST_FEE_CENTS: '20', DEFAULT_PLAN: 'free' },
});
afterAll(() => server.close());

let accounts = 0;

/** An account with the connection `x`. */
async function payer(settings: { plan?: string; pays?: boolean; cap?: number | null } = {}): Promise<TestAccount> {
  const { plan = 'pro', pays = true, cap = null } = settings;
  const account = await makeAccount(world);
  await world.sql('update accounts set plan = $2, has_payment_method = $3, x_spend_cap_cents = $4 where id = $1', [
    account.id,
    plan,
    pays,
    cap,
  ]);
  accounts += 1;
  server.addAccount(`payer${accounts}`, `token-${accounts}`);
  const { status } = await world.rest('POST /connections', {
    key: account.key,
    body: { platformId: 'x', credentials: { accessToken: `token-${accounts}` }, slug: 'x' },
  });
  expect(status).toBe(200);
  return account;
}

let texts = 0;

/** X refuses a duplicate text, so each text is unique. */
function words(more = ''): string {
  texts += 1;
  return `Ding ${texts}${more}`;
}

async function postX(account: TestAccount, body: object = {}) {
  const answer = await world.rest('POST /posts', {
    key: account.key,
    body: { text: words(), connectionSlugs: ['x'], ...body },
  });
  return answer.body.results[0];
}

const chargesOf = (account: TestAccount) =>
  world.sql<{ subject_id: string; cents: number; platform_id: string }>(
    'select subject_id, cents, platform_id from charges where account_id = $1 order by id',
    [account.id],
  );

describe('a published post', () => {
  it('is charged once, more with a link as X counts links, and a thread as one post', async () => {
    const account = await payer();

    const plain = await postX(account);
    const linked = await postX(account, { text: words(' example.com') });
    const thread = await postX(account, { thread: [words(), words()] });

    expect(await chargesOf(account)).toEqual([
      { subject_id: plain.postId, cents: 3, platform_id: 'x' },
      { subject_id: linked.postId, cents: 20, platform_id: 'x' },
      { subject_id: thread.postId, cents: 3, platform_id: 'x' },
    ]);
  });

  it('stays charged when it is deleted', async () => {
    const account = await payer();
    const { postId } = await postX(account);

    await world.rest(`DELETE /posts/${postId}`, { key: account.key });

    expect(await chargesOf(account)).toMatchObject([{ subject_id: postId, cents: 3 }]);
  });

  it('is charged in the month of publication when it was scheduled', async () => {
    const account = await payer();
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await postX(account, { scheduledFor });
    const before = await chargesOf(account);

    await world.advance(60_000);

    expect([before, await chargesOf(account)]).toMatchObject([[], [{ subject_id: postId, cents: 3 }]]);
  });

  it('costs nothing on the plan unlimited', async () => {
    const account = await payer({ plan: 'unlimited', pays: false });

    const { status } = await postX(account);

    expect([status, await chargesOf(account)]).toEqual(['sent', []]);
  });
});

describe('a post that X refuses', () => {
  it('is charged only if it is published later', async () => {
    const account = await payer();
    const text = words();
    await postX(account, { text });
    const duplicate = await postX(account, { text });
    expect(duplicate).toMatchObject({ status: 'failed', error: { code: 'platform_rejected' } });
    expect(await chargesOf(account)).toHaveLength(1);

    await world.sql('update posts set text = $2 where id = $1', [duplicate.postId, words()]);
    await world.rest(`POST /posts/${duplicate.postId}/retry`, { key: account.key, body: {} });

    expect((await chargesOf(account)).map(({ subject_id }) => subject_id)).toContain(duplicate.postId);
  });
});

describe('402 payment_method_required', () => {
  it('refuses a post that is not free, with the amount', async () => {
    const account = await payer({ pays: false });

    const { status, body } = await world.rest('POST /post/x', {
      key: account.key,
      raw: words(),
      headers: { 'content-type': 'text/plain' },
    });

    expect(status).toBe(402);
    expect(body).toEqual({
      error: 'payment_method_required',
      message: 'A post to X costs 3 cents, and the account has no payment method.',
      hint: 'Ask the operator of this install to add a payment method to your account.',
      docs: 'http://localhost:3000/docs/errors#payment_method_required',
      retryable: false,
    });
    expect(await world.sql('select 1 from posts where account_id = $1', [account.id])).toEqual([]);
  });

  it('keeps a draft as a draft, and publishing it is the retry', async () => {
    const account = await payer({ pays: false });
    const { postId } = await postX(account, { isDraft: true });

    const refused = await world.rest(`POST /posts/${postId}/publish`, { key: account.key, body: {} });
    await world.sql('update accounts set has_payment_method = true where id = $1', [account.id]);
    const published = await world.rest(`POST /posts/${postId}/publish`, { key: account.key, body: {} });

    expect(refused.body.result).toMatchObject({ status: 'draft', error: { code: 'payment_method_required' } });
    expect(published.body.result).toMatchObject({ status: 'sent', postId });
    expect(await chargesOf(account)).toMatchObject([{ subject_id: postId }]);
  });

  it('does not affect other platforms', async () => {
    const account = await payer({ pays: false });
    await world.rest('POST /connections', { key: account.key, body: { platformId: 'sandbox', credentials: {} } });

    const { body } = await world.rest('POST /posts', {
      key: account.key,
      body: { text: words(), connectionSlugs: ['x', 'sandbox'] },
    });

    expect(body.results).toMatchObject([{ error: { code: 'payment_method_required' } }, { status: 'sent' }]);
  });
});

describe('402 spend_cap_reached', () => {
  it('allows posts up to the exact cent, and no further post under concurrent requests', async () => {
    const account = await payer({ cap: 10 });

    const results = await Promise.all(Array.from({ length: 8 }, () => postX(account)));

    const refused = results.filter(({ error }) => error?.code === 'spend_cap_reached');
    expect([results.filter(({ status }) => status === 'sent').length, refused.length]).toEqual([3, 5]);
    expect(refused[0].error.message).toMatch(
      /^A post to X costs 3 cents; [369] of the 10 cents that this month may cost are spent\.$/,
    );
    expect(await chargesOf(account)).toHaveLength(3);
  });

  it('fails due posts, with this code', async () => {
    const account = await payer({ cap: 3 });
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await postX(account, { scheduledFor });
    await postX(account);

    await world.advance(60_000);

    const { body } = await world.rest(`GET /posts/${postId}`, { key: account.key });
    expect(body.post).toMatchObject({ status: 'failed', error: { code: 'spend_cap_reached' } });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.failed']);
  });

  it('ends with the new month, in UTC', async () => {
    const account = await payer({ cap: 3 });
    await postX(account);
    world.clock.set(new Date('2026-11-30T23:59:59.999Z'));
    const before = await postX(account);
    world.clock.advance(1);

    const after = await postX(account);

    expect([before.error?.code, after.error]).toEqual(['spend_cap_reached', null]);
  });
});

describe('the policy of a key', () => {
  it('allows the fees of a month up to the exact cent, those of scheduled posts included', async () => {
    const account = await payer();
    const agent = await world.key({ accountId: account.id });
    const rules = { spendCentsPerMonth: 10 };
    await world.rest(`PUT /policies/${agent.id}`, { key: account.key, body: rules });
    const byAgent = { ...account, key: agent.secret };
    const now = world.clock.now();
    const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
    const scheduledFor = new Date(now.getTime() + 60_000).toISOString();

    const sent = await postX(byAgent);
    const scheduled = await postX(byAgent, { scheduledFor });
    const linked = await postX(byAgent, { text: words(' example.com') });
    const results = await Promise.all(Array.from({ length: 4 }, () => postX(byAgent)));

    expect([sent.status, scheduled.status]).toEqual(['sent', 'scheduled']);
    const message = (spent: number, costs: number) =>
      `Policy of this key, spendCentsPerMonth: It allows fees of 10 cents a month, ${spent} are spent or planned, and this post costs ${costs}. Try again from ${nextMonth}.`;
    expect(linked.error).toEqual({ code: 'policy_refused', message: message(6, 20) });
    expect(results.filter(({ status }) => status === 'sent')).toHaveLength(1);
    const errors = results.flatMap(({ error }) => (error === null ? [] : [error.message]));
    expect(errors).toEqual(Array.from({ length: 3 }, () => message(9, 3)));
    expect((await postX(account)).status).toBe('sent');
    world.clock.set(new Date(nextMonth));
    expect((await postX(byAgent)).status).toBe('sent');
  });

  it('keeps a post from being moved into a month without room for its fee', async () => {
    const account = await payer();
    const agent = await world.key({ accountId: account.id });
    await world.rest(`PUT /policies/${agent.id}`, { key: account.key, body: { spendCentsPerMonth: 5 } });
    const byAgent = { ...account, key: agent.secret };
    // Late in the month, so that the next one is near enough to schedule for.
    world.clock.set(new Date(world.clock.now().setUTCDate(20)));
    const now = world.clock.now();
    const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12));
    const soon = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString();
    await postX(byAgent, { scheduledFor: soon(1) });
    const { postId } = await postX(byAgent, { scheduledFor: nextMonth.toISOString() });
    const move = async (scheduledFor: string) => {
      const { body } = await world.rest(`POST /posts/${postId}/reschedule`, {
        key: agent.secret,
        body: { scheduledFor },
      });
      return [body.result.scheduledFor, body.result.error?.code];
    };

    expect(await move(soon(2))).toEqual([nextMonth.toISOString(), 'policy_refused']);
    const later = new Date(nextMonth.getTime() + 60_000).toISOString();
    expect(await move(later)).toEqual([later, undefined]);
  });
});

describe('xUsageSweep', () => {
  it('writes a missing row, once, also for two concurrent sweeps', async () => {
    const account = await payer();
    const { postId } = await postX(account);
    await postX(account);
    const before = await chargesOf(account);
    await world.sql('delete from charges where subject_id = $1', [postId]);

    const written = await Promise.all([world.context.missingCharges.write(), world.context.missingCharges.write()]);
    await world.runDue();

    expect(written[0] + written[1]).toBe(1);
    expect((await chargesOf(account)).toSorted(bySubject)).toEqual(before.toSorted(bySubject));
  });

  it('searches 35 days at first, and then what was sent since its last round', async () => {
    const account = await payer();
    const post = async () => {
      const { postId } = await postX(account);
      await world.sql('delete from charges where subject_id = $1', [postId]);
      return postId as string;
    };
    const { missingCharges } = world.context;
    await missingCharges.write();
    world.clock.advance(24 * 3_600_000);
    const duringOutage = await post();
    world.clock.advance(24 * 3_600_000);
    const written = [await missingCharges.write()];
    const charged = await chargesOf(account);
    await world.sql('delete from charges where subject_id = $1', [duringOutage]);

    written.push(await missingCharges.write());
    const started = createMissingCharges(world.context);
    written.push(await started.write(), await started.write());

    expect(written).toEqual([1, 0, 1, 0]);
    expect([charged, await chargesOf(account)]).toMatchObject([
      [{ subject_id: duringOutage }],
      [{ subject_id: duringOutage }],
    ]);
  });

  it('finds a post that was sent while the clock was set back', async () => {
    const account = await payer();
    await world.context.missingCharges.write();
    world.clock.advance(-7 * 24 * 3_600_000);
    const { postId } = await postX(account);
    await world.sql('delete from charges where subject_id = $1', [postId]);

    const written = await world.context.missingCharges.write();

    world.clock.advance(7 * 24 * 3_600_000);
    expect(written).toBe(1);
  });

  it('charges nothing for unsent or free posts', async () => {
    const account = await payer();
    const text = words();
    await postX(account, { text });
    await postX(account, { text });
    await postX(account, { isDraft: true });

    await world.runDue();

    expect(await chargesOf(account)).toHaveLength(1);
  });
});

function bySubject(one: { subject_id: string }, other: { subject_id: string }): number {
  return one.subject_id.localeCompare(other.subject_id);
}
