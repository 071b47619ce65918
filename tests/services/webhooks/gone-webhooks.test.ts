/**
 * A webhook whose row is gone while a process delivers to it, as after a restore of an older backup or a failover that lost its last
 * transactions: what is left of it ends, and is not repeated for ever.
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { claimWebhookLeases } from '../../../services/webhooks/claim-webhook-leases.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { releaseWebhookLeases } from '../../../services/webhooks/release-webhook-leases.ts';
import { settleDeliveries } from '../../../services/webhooks/settle-deliveries.ts';
import { createWebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

describe('a webhook whose row is gone', () => {
  it('does not keep the process that delivers to it from stopping', async () => {
    const { key } = await accountWithSandbox(world);
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((response) => void held.push(response));
    const { id } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
    for (const text of ['first', 'second']) await makePost(world, 'sandbox', { key, text });
    await fanOut(world.context);
    const dispatcher = createWebhookDispatcher(world.context);
    await dispatcher.begin();
    await expect.poll(() => held.length, { interval: 10 }).toBe(1);
    await world.sql('delete from deliveries where webhook_id = $1', [id]);
    await world.sql('delete from webhooks where id = $1', [id]);

    held[0]?.writeHead(204).end();

    await dispatcher.close();
    expect(receiver.received.map(({ body }) => body.post.text as unknown)).toEqual(['first']);
    expect(dispatcher.webhooksInProgress()).toEqual([]);
  });

  it('is a change for an outcome, and nothing to release for a lease; those of others are stored beside it', async () => {
    const { key } = await accountWithSandbox(world);
    const { id } = await registerWebhook(world, 'https://127.0.0.1/hook', { key, events: ['post.sent'] });
    await makePost(world, 'sandbox', { key });
    await fanOut(world.context);
    const [taken] = await claimWebhookLeases(world.context, { healthy: 1, failing: 0, reserved: 0 }, []);
    const { lease, first } = taken!;
    const [delivery] = first.deliveries;
    const gone = { ...lease, webhookId: v7() };
    const outcome = { delivered: true, attemptedAt: world.clock.now(), durationMs: 1, statusCode: 204, error: null };

    const settled = await settleDeliveries(world.context, [
      { lease: gone, delivery: { ...delivery!, id: v7() }, outcome },
      { lease, delivery: delivery!, outcome },
    ]);
    const released = await releaseWebhookLeases(world.context, [gone, lease]);

    expect([settled, released]).toEqual([
      [false, true],
      [true, true],
    ]);
    expect((await deliveriesOf(world, id, key)).map(({ status }) => status)).toEqual(['delivered']);
  });
});
