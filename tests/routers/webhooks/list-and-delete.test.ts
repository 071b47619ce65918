/** GET /webhooks and DELETE /webhooks/{webhookId}. tests/routers/scoping-table.ts has the rules for visibility. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

describe('GET 200', () => {
  it('lists webhooks newest first, without their secrets', async () => {
    const { key } = await accountWithSandbox(world);
    const first = await registerWebhook(world, 'http://127.0.0.1:9/one', { key });
    const second = await registerWebhook(world, 'http://127.0.0.1:9/two', { key, events: ['post.sent'] });

    const { status, body } = await world.rest('GET /webhooks', { key });

    expect(status).toBe(200);
    const withoutSecret = ({ secret, ...shown }: typeof first) => (expect(secret).toBeTypeOf('string'), shown);
    expect(body).toEqual({ webhooks: [withoutSecret(second), withoutSecret(first)], limit: 100, nextCursor: null });
  });

  it('continues after a cursor, to the last page', async () => {
    const { key } = await accountWithSandbox(world);
    const ids: string[] = [];
    for (const path of ['a', 'b', 'c'])
      ids.unshift((await registerWebhook(world, `http://127.0.0.1:9/${path}`, { key })).id);
    const page = async (search: string) => {
      const { body } = await world.rest(`GET /webhooks${search}`, { key });
      return { ids: body.webhooks.map(({ id }: { id: string }) => id), limit: body.limit, next: body.nextCursor };
    };

    const first = await page('?limit=2');

    expect(first).toEqual({ ids: ids.slice(0, 2), limit: 2, next: ids[1] });
    expect(await page(`?limit=2&cursor=${first.next}`)).toEqual({ ids: ids.slice(2), limit: 2, next: null });
    expect(await page(`?limit=2&cursor=${ids[2]}`)).toEqual({ ids: [], limit: 2, next: null });
  });

  it.each(['?limit=0', '?limit=101', '?cursor=nonsense'])('400 for %s', async (search) => {
    const { status, body } = await world.rest(`GET /webhooks${search}`);

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('DELETE 200', () => {
  it('deletes the webhook: deliveries stop, and all its paths answer 404', async () => {
    const receiver = await startReceiver();
    const { key } = await accountWithSandbox(world);
    const { id } = await registerWebhook(world, receiver.url, { key });
    await makePost(world, 'sandbox', { key });

    const { status, body } = await world.rest(`DELETE /webhooks/${id}`, { key });

    await makePost(world, 'sandbox', { key });
    await world.runDue();
    expect(status).toBe(200);
    expect(body).toEqual({ id, deleted: true });
    expect(receiver.received).toEqual([]);
    expect((await world.rest('GET /webhooks', { key })).body).toEqual({ webhooks: [], limit: 100, nextCursor: null });
    const gone = refusal('not_found', `No webhook of yours has the id ${id}.`);
    for (const call of [
      `DELETE /webhooks/${id}`,
      `GET /webhooks/${id}/deliveries`,
      `POST /webhooks/${id}/test`,
      `POST /webhooks/${id}/rotate-secret`,
      `POST /webhooks/${id}/deliveries/${UNKNOWN_ID}/replay`,
    ] as const) {
      expect(await world.rest(call, { key })).toMatchObject({ status: 404, body: gone });
    }
  });

  it('fails queued deliveries, and those in progress regardless of their outcome', async () => {
    const { key } = await accountWithSandbox(world);
    let webhookId = '';
    const receiver = await startReceiver((response) => {
      void world.rest(`DELETE /webhooks/${webhookId}`, { key }).then(() => response.writeHead(200).end());
    });
    const { id } = await registerWebhook(world, receiver.url, { key });
    webhookId = id;
    for (const text of ['One', 'Two']) await makePost(world, 'sandbox', { key, text });

    await world.runDue();

    const rows = await world.sql('select status, claim, attempts from deliveries where webhook_id = $1', [id]);
    expect(rows).toEqual([
      { status: 'failed', claim: null, attempts: 0 },
      { status: 'failed', claim: null, attempts: 0 },
    ]);
    expect(await world.sql('select secret, lease, lease_until from webhooks where id = $1', [id])).toEqual([
      { secret: null, lease: null, lease_until: null },
    ]);
  });
});

describe('DELETE 400 and 404', () => {
  it('refuses a malformed id and an unknown id', async () => {
    const malformed = await world.rest('DELETE /webhooks/1');
    const unknown = await world.rest(`DELETE /webhooks/${UNKNOWN_ID}`);

    expect([malformed.status, malformed.body.error]).toEqual([400, 'invalid_request']);
    expect(unknown).toMatchObject({
      status: 404,
      body: refusal('not_found', `No webhook of yours has the id ${UNKNOWN_ID}.`),
    });
  });
});
