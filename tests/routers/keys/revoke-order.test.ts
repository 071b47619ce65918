/** Revocations of keys that were minted under others lock them in one order, so that two of them cannot deadlock. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

// This test needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a revocation', () => {
  it('holds none of the keys with a later id while it waits for one', async () => {
    const { key, id: accountId } = await makeAccount(world);
    const maker = await world.key({ accountId });
    const minted = [await world.key({ accountId }), await world.key({ accountId })].map(({ id }) => id).toSorted();
    const [first, second] = minted;
    // The first one gets the last place in the table.
    for (const id of minted.toReversed())
      await world.sql('update api_keys set created_by_key_id = $2 where id = $1', [id, maker.id]);
    const held = await holdRows(world, 'select id from api_keys where id = $1 for update', [first]);
    const revoking = world.rest(`DELETE /keys/${maker.id}?includeMinted=true`, { key });
    await held.waiting(1, revoking);

    const free = await world.sql('select id from api_keys where id = $1 for update nowait', [second]);

    await held.release();
    expect([free, (await revoking).status]).toEqual([[{ id: second }], 200]);
    expect(await world.sql('select id from api_keys where id = any($1) and revoked_at is null', [minted])).toEqual([]);
  });

  it('finds the account free while it waits for a webhook of one of them', async () => {
    const { key, id: accountId } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const maker = await world.key({ accountId });
    const minted = await world.key({ accountId, profileId: profile.id });
    await world.sql('update api_keys set created_by_key_id = $2 where id = $1', [minted.id, maker.id]);
    const { url } = await startReceiver();
    const webhook = await registerWebhook(world, url, { key: minted.secret, events: ['post.sent'] });
    const held = await holdRows(world, 'select id from webhooks where id = $1 for update', [webhook.id]);
    const revoking = world.rest(`DELETE /keys/${maker.id}?includeMinted=true`, { key });
    await held.waiting(1, revoking);

    const free = await world.sql('select id from accounts where id = $1 for no key update skip locked', [accountId]);

    await held.release();
    expect([free, (await revoking).status]).toEqual([[{ id: accountId }], 200]);
  });
});
