/**
 * A webhook with a long backlog is disabled, enabled and deleted at once; its deliveries follow in steps, in any process
 * (docs/contract/webhooks.md#changing-a-webhook).
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { v7 } from 'uuid';
import { statements } from '../../../entities/statement.ts';
import { webhookDeliveries } from '../../../jobs/webhook-deliveries.ts';
import { adjustMoreDeliveries } from '../../../services/webhooks/adjust-deliveries.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { nextDeliveryAt } from '../../../services/webhooks/next-delivery-at.ts';
import { createWebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { query } from '../../harness/query.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** More than two steps. */
const BACKLOG = 2_500;

const HOUR_MS = 3_600_000;

/** A webhook with a backlog of events of one post, of which the last two are due. */
async function backlogged() {
  const { key, id: accountId } = await accountWithSandbox(world);
  const receiver = await startReceiver(204);
  const { id } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  const postId = v7();
  const now = world.clock.now();
  await world.sql(
    `insert into deliveries (id, webhook_id, subject_id, event, mode, body, created_at, next_attempt_at)
     select id, $1, $2, 'post.sent', 'live', jsonb_build_object('post', jsonb_build_object('text', number))::text, $3,
       case when number > $4::int - 2 then $3::timestamptz else $5::timestamptz end
     from unnest($6::uuid[]) with ordinality as e(id, number)`,
    [id, postId, now, BACKLOG, new Date(now.getTime() + HOUR_MS), Array.from({ length: BACKLOG }, () => v7())],
  );
  return {
    id,
    key,
    change: (enabled: boolean) => world.rest(`PATCH /webhooks/${id}`, { key, body: { enabled } }),
    remove: () => world.rest(`DELETE /webhooks/${id}`, { key }),
    texts: () => receiver.received.map(({ body }) => body.post.text as unknown),
    /** How many deliveries have each state. */
    states: () =>
      world.sql<{ status: string; paused: boolean; why: string | null; number: number }>(
        `select status, paused, last_error as why, count(*)::int as number from deliveries where webhook_id = $1
         group by 1, 2, 3 order by 1, 2`,
        [id],
      ),
    /** A later event of the post. */
    happen: () => {
      world.clock.advance(1);
      return world.sql(
        `insert into events (id, account_id, name, mode, subject_id, payload, created_at)
         values ($1, $2, 'post.sent', 'live', $3, '{"post":{"text":"later"}}', $4)`,
        [v7(), accountId, postId, world.clock.now()],
      );
    },
  };
}

const open = (paused: boolean, number: number) => ({ status: 'pending', paused, why: null, number });
const failed = (number: number) => ({ status: 'failed', paused: false, why: 'The webhook was deleted.', number });

/** A node of an executed plan, as far as it is read here. */
interface ExplainedPlan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly ExplainedPlan[];
}

/** How many deliveries the plan has read, also those that a condition has left out. */
function deliveriesRead(plan: ExplainedPlan): number {
  const ofPlans = (plan.Plans ?? []).reduce((sum, inner) => sum + deliveriesRead(inner), 0);
  if (plan['Relation Name'] !== 'deliveries') return ofPlans;
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  return ofPlans + (plan['Actual Rows'] + removed) * plan['Actual Loops'];
}

describe('a webhook with a long backlog', () => {
  it('is disabled at once: nothing is delivered, and workers pause the rest', async () => {
    const { change, texts, states } = await backlogged();

    const { status } = await change(false);

    expect([status, await states()]).toEqual([200, [open(false, BACKLOG - 1_000), open(true, 1_000)]]);
    expect((await nextDeliveryAt(world.context))?.getTime()).toBeLessThanOrEqual(world.clock.now().getTime());
    await world.runDue();
    expect([texts(), await states()]).toEqual([[], [open(true, BACKLOG)]]);
  });

  it('is enabled at once: workers resume the rest, before any event of the same post is delivered', async () => {
    const { change, texts, states, happen } = await backlogged();
    await change(false);
    await world.runDue();

    const { status } = await change(true);

    await happen();
    await world.context.deliveries.begin();
    await fanOut(world.context, world.context.deliveries);
    await world.context.deliveries.drained();
    expect([status, texts()]).toEqual([200, []]);
    await world.runDue();
    expect(texts()).toEqual([BACKLOG - 1, BACKLOG, 'later']);
    expect(await states()).toEqual([
      { status: 'delivered', paused: false, why: null, number: 3 },
      open(false, BACKLOG - 2),
    ]);
  });

  it('is deleted at once, also while its deliveries are being paused, and workers fail the rest', async () => {
    const { change, remove, texts, states } = await backlogged();
    await change(false);

    const { status } = await remove();

    const [first] = await states();
    expect([status, first]).toEqual([200, failed(1_000)]);
    await world.runDue();
    expect([texts(), await states()]).toEqual([[], [failed(BACKLOG)]]);
  });

  it('ends in its latest state when it is switched before all deliveries follow', async () => {
    const { change, texts, states } = await backlogged();
    for (const enabled of [false, true, false]) await change(enabled);
    await adjustMoreDeliveries(world.context);
    await change(true);

    await world.runDue();

    expect(texts()).toEqual([BACKLOG - 1, BACKLOG]);
    expect(await states()).toEqual([
      { status: 'delivered', paused: false, why: null, number: 2 },
      open(false, BACKLOG - 2),
    ]);
  });

  it('takes turns with others, one step at a time', async () => {
    const [one, two] = [await backlogged(), await backlogged()];
    for (const { change } of [one, two]) await change(false);

    for (let step = 0; step < 2; step += 1) {
      world.clock.advance(1);
      await adjustMoreDeliveries(world.context);
    }

    for (const { states } of [one, two]) expect(await states()).toEqual([open(false, 500), open(true, 2_000)]);
    await world.runDue();
  });

  it('that has failed for three days is disabled without delaying the events of others for long', async () => {
    const failing = await backlogged();
    const day = 24 * HOUR_MS;
    const [since, latest] = [3 * day, 0].map((ms) => new Date(world.clock.now().getTime() - ms));
    await world.sql('update webhooks set failing_since = $2, last_failed_at = $3 where id = $1', [
      failing.id,
      since,
      latest,
    ]);
    const { key } = await accountWithSandbox(world);
    const receiver = await startReceiver(204);
    await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
    await makePost(world, 'sandbox', { key });
    const dispatcher = createWebhookDispatcher(world.context);
    onTestFinished(() => dispatcher.close());
    // The round ends with its first batch of events.
    const stopping = new AbortController();
    const direct = () => {
      stopping.abort();
      return dispatcher.direct();
    };

    await webhookDeliveries.run({ ...world.context, deliveries: { ...dispatcher, direct } }, stopping.signal);

    await dispatcher.drained();
    expect(receiver.received).toHaveLength(1);
    expect(await failing.states()).toEqual([open(false, 500), open(true, 2_000)]);
    await world.runDue();
    expect([failing.texts(), await failing.states()]).toEqual([[], [open(true, BACKLOG)]]);
  });
});

it('a step reads what it adjusts alone, of a webhook with many other deliveries and beside others with long backlogs', async () => {
  const { key } = await accountWithSandbox(world);
  const { url } = await startReceiver(204);
  // Of a table with few webhooks, whose deliveries are mostly open, PostgreSQL may read rows until enough of them are open.
  const webhooks = await Promise.all(Array.from({ length: 10 }, () => registerWebhook(world, url, { key })));
  const [id = '', ...others] = webhooks.map((webhook) => webhook.id);
  await world.sql(
    `insert into deliveries (id, source_id, webhook_id, event, mode, body, created_at, next_attempt_at, status, paused)
     select gen_random_uuid(), gen_random_uuid(), case when n % 2 = 0 then $1::uuid else ($2::uuid[])[1 + n / 2 % 9] end, 'post.sent',
       'live', repeat('x', 800), $3, $3, case when n % 2 = 0 and n > 20 then 'delivered' else 'pending' end, n % 4 = 1 or n <= 10
     from generate_series(1, 20000) n`,
    [id, others, world.clock.now()],
  );
  await world.sql('analyze deliveries');
  const { sql = '' } = statements.get('adjust deliveries to the state of their webhooks') ?? {};

  const rows = await world.sql<{ 'QUERY PLAN': string }>(`explain (costs off) ${sql}`, [[id], world.clock.now()]);

  await world.sql('delete from deliveries where webhook_id = any($1)', [[id, ...others]]);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/ on deliveries_open_index| using deliveries_open_index/);
  expect(plan).toMatch(/ on deliveries_paused_index| using deliveries_paused_index/);
  expect(plan).not.toMatch(/Sort|Seq Scan on deliveries|deliveries_webhook_id_id_index/);
});

it('the last step of a webhook that is disabled does not read what the earlier ones have paused', async () => {
  const { key } = await accountWithSandbox(world);
  const { url } = await startReceiver(204);
  const [webhook, other] = [await registerWebhook(world, url, { key }), await registerWebhook(world, url, { key })];
  await world.sql('update webhooks set disabled_at = $2 where id = $1', [webhook.id, world.clock.now()]);
  // Bodies are as long as real ones: of a table with short rows, PostgreSQL reads all rather than an index.
  await world.sql(
    `insert into deliveries (id, source_id, webhook_id, event, mode, body, created_at, next_attempt_at, status, paused)
     select gen_random_uuid(), gen_random_uuid(), case when n <= 5005 then $1::uuid else $2::uuid end, 'post.sent', 'live', repeat('x', 800), $3, $3,
       case when n <= 5005 then 'pending' else 'delivered' end, n <= 5000
     from generate_series(1, 20000) n`,
    [webhook.id, other.id, world.clock.now()],
  );
  await world.sql('analyze deliveries');
  const { sql = '' } = statements.get('adjust deliveries to the state of their webhooks') ?? {};
  let plans: ExplainedPlan[] = [];

  const step = world.db.em().transactional(async (em) => {
    const explained = await query<{ 'QUERY PLAN': [{ Plan: ExplainedPlan }] }>(
      em,
      `explain (analyze, timing off, format json) ${sql}`,
      [[webhook.id], world.clock.now()],
    );
    plans = explained.map((row) => row['QUERY PLAN'][0].Plan);
    throw new Error('the step is undone');
  });

  await expect(step).rejects.toThrow('the step is undone');
  await world.sql('delete from deliveries where webhook_id = any($1)', [[webhook.id, other.id]]);
  const read = plans.reduce((sum, plan) => sum + deliveriesRead(plan), 0);
  expect(read).toBeGreaterThanOrEqual(5);
  expect(read).toBeLessThan(1_000);
});

// It needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a step that takes long', () => {
  it('delays no event, of its webhook neither', async () => {
    const { id, change, texts, happen } = await backlogged();
    await change(false);
    await world.runDue();
    await change(true);
    const held = await holdRows(world, 'select 1 from deliveries where webhook_id = $1 and paused for update', [id]);
    const step = adjustMoreDeliveries(world.context);
    await held.waiting(1, step);
    await happen();

    const fanned = await fanOut(world.context);

    await held.release();
    expect([fanned, await step]).toEqual([{ events: 1, begun: 0, waiting: 1, left: [] }, 1]);
    await world.runDue();
    expect(texts()).toEqual([BACKLOG - 1, BACKLOG, 'later']);
  });

  it('is followed by others, also when retention removes a delivery that it has found', async () => {
    const { id, change, states } = await backlogged();
    await change(false);
    await world.runDue();
    // The first in the table, where a step finds it through the index and without.
    const first = 'select id from deliveries where webhook_id = $1 and paused order by ctid limit 1';
    const held = await holdRows(world, `delete from deliveries where id = (${first})`, [id]);
    const enabling = change(true);
    await held.waiting(1, enabling);

    await held.release();

    const { status } = await enabling;
    const marks = await world.sql('select adjusting_at is not null as marked from webhooks where id = $1', [id]);
    expect([status, marks]).toEqual([200, [{ marked: true }]]);
    await world.runDue();
    const after = await states();
    expect(after.filter(({ paused }) => paused)).toEqual([]);
    expect(after.reduce((sum, { number }) => sum + number, 0)).toBe(BACKLOG - 1);
  });
});
