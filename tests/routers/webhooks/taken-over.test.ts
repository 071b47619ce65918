/** A webhook whose address somebody else sets belongs to them, also when its earlier key ends at that moment. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const owner = await consoleCalls(world);

// This test needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a webhook that a person takes over', () => {
  it('stays when the key that registered it is revoked meanwhile', async () => {
    const { id: profileId } = await world.profile();
    const key = await world.key({ profileId });
    const { url } = await startReceiver();
    const { id } = await registerWebhook(world, url, { key: key.secret, events: ['post.sent'] });
    const held = await holdRows(world, 'select id from webhooks where id = $1 for update', [id]);
    const changing = owner('webhooks.update', { webhookId: id, url: `${url}/new` });
    await held.waiting(1, changing);
    const revoking = world.rest(`DELETE /keys/${key.id}`);
    await held.waiting(2, revoking);

    await held.release();

    expect([(await changing).status, (await revoking).status]).toEqual([200, 200]);
    const { webhooks } = (await world.rest('GET /webhooks')).body;
    expect(webhooks).toMatchObject([{ id, url: `${url}/new`, disabledAt: null }]);
  });
});
