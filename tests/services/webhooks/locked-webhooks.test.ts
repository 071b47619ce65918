/**
 * Nothing of one account waits for a webhook of another one that a transaction has locked, however long that takes
 * (docs/guide/webhooks.md#what-counts-as-delivered).
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { runRound } from '../../../jobs/run-round.ts';
import { webhookDeliveries } from '../../../jobs/webhook-deliveries.ts';
import { claimWebhookLeases } from '../../../services/webhooks/claim-webhook-leases.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { releaseWebhookLeases } from '../../../services/webhooks/release-webhook-leases.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { type HeldRows, holdRows } from '../../harness/hold-rows.ts';
import { afterFirstQuery } from '../../harness/interleave.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const round = () => runRound(world.context, webhookDeliveries, new AbortController().signal);

/** Waits in real time, because the awaited work runs in this process. */
async function until(condition: () => unknown): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBe(true);
}

/** An account with a webhook. Without `answers`, its receiver holds its requests until the test answers them. */
async function account({ answers = true } = {}) {
  const { key } = await accountWithSandbox(world);
  const waiting: ServerResponse[] = [];
  const receiver = await startReceiver(answers ? 204 : (response) => void waiting.push(response));
  const { id } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  return {
    id,
    waiting,
    post: (text: string) => makePost(world, 'sandbox', { key, text }),
    texts: () => receiver.received.map(({ body }) => body.post.text as string),
    statuses: async () => (await deliveriesOf(world, id, key)).map(({ status }) => status),
    lease: async () =>
      (await world.sql<{ lease: string | null }>('select lease from webhooks where id = $1', [id]))[0]?.lease,
    /** As a transaction that changes or deletes it. */
    lock: () => holdRows(world, 'select 1 from webhooks where id = $1 for update', [id]),
  };
}

// It needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('while a webhook is locked', () => {
  it('the events of other accounts are delivered, and those of its account afterwards, in their order', async () => {
    const [locked, other] = [await account(), await account()];
    const held = await locked.lock();
    await locked.post('first');
    await other.post('of another account');
    await locked.post('second');

    await round();

    await until(() => other.texts().length === 1);
    expect([locked.texts(), other.texts()]).toEqual([[], ['of another account']]);
    await held.release();
    await world.runDue();
    expect(locked.texts()).toEqual(['first', 'second']);
  });

  it('the outcomes of other webhooks are stored and their leases released, and its own afterwards', async () => {
    const [locked, other] = [await account({ answers: false }), await account({ answers: false })];
    for (const { post } of [locked, other]) await post('Hello');
    await round();
    await until(() => locked.waiting.length === 1 && other.waiting.length === 1);
    const held = await locked.lock();

    for (const { waiting } of [locked, other]) waiting[0]?.writeHead(204).end();

    await until(async () => (await other.lease()) === null);
    expect(await other.statuses()).toEqual(['delivered']);
    expect(await locked.statuses()).toEqual(['processing']);
    await held.release();
    await world.context.deliveries.drained();
    expect([await locked.statuses(), await locked.lease()]).toEqual([['delivered'], null]);
  });

  it('the deliveries of others are claimed, and its own once its lease asks again', async () => {
    const [locked, other] = [await account(), await account()];
    for (const { post } of [locked, other]) await post('Hello');
    await fanOut(world.context);
    let held: HeldRows | undefined;
    const locking = afterFirstQuery(world.context, async () => {
      held = await locked.lock();
    });

    const leases = await claimWebhookLeases(locking, { healthy: 2, failing: 0, reserved: 0 }, []);

    const first = (id: string) => leases.find(({ lease }) => lease.webhookId === id)?.first;
    expect(first(locked.id)).toEqual({ deliveries: [], hasMore: true });
    expect(first(other.id)).toEqual({ deliveries: [expect.anything()], hasMore: false });
    const own = leases.map(({ lease }) => lease).toSorted((a) => (a.webhookId === locked.id ? -1 : 1));
    expect(await releaseWebhookLeases(world.context, own)).toEqual([null, true]);
    await held?.release();
    expect(await releaseWebhookLeases(world.context, own)).toEqual([true, true]);
  });
});
