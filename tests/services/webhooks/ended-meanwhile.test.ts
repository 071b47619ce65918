/** Webhooks that end while events are fanned out to them (docs/contract/profiles-and-keys.md#limits-that-keys-pass-on). */
import { describe, expect, it } from 'vitest';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

// It needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('webhooks that end with their key', () => {
  it('and the events for them do not wait for each other, whichever webhook an event is for', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, profileId: profile.id });
    const { id: keyId, secret } = await world.key({ accountId, profileId: profile.id });
    const { url } = await startReceiver();
    const { id: first } = await registerWebhook(world, url, { key: secret, events: ['post.failed'] });
    await registerWebhook(world, url, { key: secret, events: ['post.sent'] });
    await fanOut(world.context);
    await makePost(world, 'sandbox', { key: secret });
    await makePost(world, 'sandbox', { key: secret, text: 'Hello [[reject]]' });
    const held = await holdRows(world, 'select id from webhooks where id = $1 for update', [first]);
    const revoking = world.rest(`DELETE /keys/${keyId}`, { key });
    await held.waiting(1);

    const meanwhile = await fanOut(world.context);

    await held.release();
    expect((await revoking).status).toBe(200);
    expect(meanwhile).toEqual({ events: 0, begun: 0, waiting: 0, left: [accountId] });
    expect(await fanOut(world.context)).toEqual({ events: 2, begun: 0, waiting: 0, left: [] });
  });
});
