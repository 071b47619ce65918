/** GET /webhooks/{webhookId}/deliveries: newest first, in pages, filtered by status. */
import { describe, expect, it } from 'vitest';
import { type DeliveryFilter, deliveriesQuery } from '../../../services/webhooks/list-deliveries.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const { key } = await accountWithSandbox(world);

/** A webhook with one delivery for each of these responses, in order, and the time after them. */
async function webhookWith(answers: readonly number[]): Promise<string> {
  const receiver = await startReceiver();
  const { id } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  for (const status of answers) {
    receiver.answer(status);
    await makePost(world, 'sandbox', { key });
    await world.runDue();
  }
  return id;
}

const list = async (webhookId: string, search = '') => {
  return world.rest(`GET /webhooks/${webhookId}/deliveries${search}`, { key });
};

const idsOf = (body: { deliveries: { id: string }[] }) => body.deliveries.map(({ id }) => id);

describe('200', () => {
  it('returns every field of a delivery', async () => {
    const id = await webhookWith([204, 500]);

    const { status, body } = await list(id);

    expect(status).toBe(200);
    const now = START.toISOString();
    const common = { id: UUID, eventId: UUID, event: 'post.sent', attempts: 1, createdAt: now, deadAt: null };
    expect(body).toEqual({
      deliveries: [
        {
          ...common,
          status: 'pending',
          nextAttemptAt: '2026-11-21T12:01:00.000Z',
          deliveredAt: null,
          lastStatusCode: 500,
          lastError: 'The receiver answered HTTP 500.',
        },
        {
          ...common,
          status: 'delivered',
          nextAttemptAt: now,
          deliveredAt: now,
          lastStatusCode: 204,
          lastError: null,
        },
      ],
      limit: 25,
      hasMore: false,
      nextCursor: null,
    });
    for (const delivery of body.deliveries) expect(delivery.eventId).toBe(delivery.id);
  });

  it('pages without a gap or a duplicate, also when new deliveries arrive in between', async () => {
    const id = await webhookWith([200, 200, 200, 200, 200]);
    const all = idsOf((await list(id)).body);

    const first = await list(id, '?limit=2');
    await world.rest(`POST /webhooks/${id}/test`, { key });
    const second = await list(id, `?limit=2&startingAfter=${all[1]}`);
    const third = await list(id, `?limit=2&startingAfter=${all[3]}`);

    expect([first, second, third].map(({ body }) => [idsOf(body), body.limit, body.hasMore])).toEqual([
      [all.slice(0, 2), 2, true],
      [all.slice(2, 4), 2, true],
      [all.slice(4), 2, false],
    ]);
  });

  it('accepts the nextCursor of a page as cursor', async () => {
    const id = await webhookWith([200, 200, 200]);
    const all = idsOf((await list(id)).body);

    const first = (await list(id, '?limit=2')).body;
    const second = (await list(id, `?limit=2&cursor=${first.nextCursor}`)).body;

    expect(first.nextCursor).toBe(all[1]);
    expect([idsOf(second), second.hasMore, second.nextCursor]).toEqual([[all[2]], false, null]);
    const twice = await list(id, `?cursor=${all[0]}&startingAfter=${all[1]}`);
    expect([twice.status, twice.body.message]).toEqual([400, 'cursor: the same as startingAfter; send one of them.']);
  });

  it('returns hasMore false when the last page is full', async () => {
    const id = await webhookWith([200, 200]);

    expect((await list(id, '?limit=2')).body).toMatchObject({ limit: 2, hasMore: false });
  });

  it('filters by status, also in pages', async () => {
    const id = await webhookWith([200, 500, 200, 500]);
    const all = idsOf((await list(id)).body);
    await world.sql(`update deliveries set status = 'dead' where id = $1`, [all[0]]);

    const found = async (search: string) => idsOf((await list(id, search)).body);
    expect(await found('?status=delivered')).toEqual([all[1], all[3]]);
    expect(await found('?status=pending')).toEqual([all[2]]);
    expect(await found('?status=dead')).toEqual([all[0]]);
    expect(await found('?status=failed')).toEqual([]);
    expect(await found(`?status=delivered&startingAfter=${all[1]}`)).toEqual([all[3]]);
  });
});

describe('with many deliveries', () => {
  it('reads each page from an index, also of a status that few of them have', async () => {
    await using full = await startWorld();
    const receiver = await startReceiver();
    const { id } = await registerWebhook(full, receiver.url);
    await full.sql(
      `insert into deliveries (id, webhook_id, event, mode, body, created_at, next_attempt_at, status)
       select lpad(to_hex(n), 32, '0')::uuid, $1, 'post.sent', 'live', '{}', $2, $2,
         case when n > 20 then 'delivered' when n > 10 then 'pending' when n > 5 then 'failed' else 'dead' end
       from generate_series(1, 20000) n`,
      [id, START],
    );
    await full.sql('analyze deliveries');
    const planOf = async (status: DeliveryFilter['status']) => {
      const { sql, parameters } = deliveriesQuery(full.db.queries, id, { status, limit: 25 }).compile();
      const plan = await full.sql<{ 'QUERY PLAN': string }>(`explain ${sql}`, parameters);
      return plan.map((row) => row['QUERY PLAN']).join('\n');
    };

    expect(await planOf('delivered')).toMatch(/Index Scan Backward using deliveries_webhook_id_id_index/);
    expect(await planOf('pending')).toMatch(/deliveries_pending_index/);
    expect(await planOf('failed')).toMatch(/deliveries_ended_index/);
    expect(await planOf('dead')).toMatch(/deliveries_ended_index/);
  });
});

describe('400 invalid_request', () => {
  it.each(['?status=processing', '?status=sent', '?limit=0', '?limit=101', '?limit=x', '?startingAfter=1'])(
    'refuses %s',
    async (search) => {
      const id = await webhookWith([]);

      const { status, body } = await list(id, search);

      expect([status, body.error]).toEqual([400, 'invalid_request']);
    },
  );

  it('refuses a cursor delivery that does not exist or belongs to another webhook', async () => {
    const [id, other] = [await webhookWith([]), await webhookWith([200])];
    const [foreign = ''] = idsOf((await list(other)).body);

    for (const startingAfter of [UNKNOWN_ID, foreign]) {
      const { status, body } = await list(id, `?startingAfter=${startingAfter}`);

      expect(status).toBe(400);
      expect(body).toEqual(
        refusal('invalid_request', `startingAfter: ${startingAfter} is not the id of a delivery of this webhook.`),
      );
    }
  });
});

describe('404 not_found', () => {
  it('is the answer for an unknown webhook', async () => {
    expect(await list(UNKNOWN_ID)).toMatchObject({
      status: 404,
      body: refusal('not_found', `No webhook of yours has the id ${UNKNOWN_ID}.`),
    });
  });
});
