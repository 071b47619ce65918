/** A removal of a person and requests at the same moment lock rows in one order, so that they cannot deadlock. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';
import { callTool, tokensFor } from '../../oauth/agents.ts';
import { personOf } from '../../oauth/people.ts';

const world = await startWorld({ env: OWNER_ENV });
const owner = await consoleCalls(world);

/** As everything locks the account that counts what it has. */
const ACCOUNT = 'select id from accounts for no key update';

// These tests need a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a removal of a person', () => {
  it('and a post of their agent that a policy counts are both answered, and the post is refused', async () => {
    const person = await personOf(world, 'editor');
    const { access } = await tokensFor(world, person, { scope: 'posts:read posts:write' });
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where owner_id = $1', [
      person.ownerId,
    ]);
    expect((await world.rest(`PUT /policies/${grant?.id}`, { body: { postsPerDay: 5 } })).status).toBe(200);
    // The time of its last use is stored before the post waits for anything.
    await callTool(world, access, 'list_posts');
    const held = await holdRows(world, ACCOUNT);
    const removing = owner('people.remove', { personId: person.ownerId });
    await held.waiting(1, removing);
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    const posting = callTool(world, access, 'create_post', input);
    await held.waiting(2, posting);

    await held.release();

    expect((await removing).status).toBe(200);
    const { isError, _meta: meta } = (await posting).body.result;
    expect([isError, meta['carillon/error'].code]).toEqual([true, 'unauthorized']);
    expect(await world.sql('select id from posts')).toEqual([]);
  });

  it('finds the account free while it waits for a calendar of theirs', async () => {
    const person = await personOf(world, 'editor');
    const { id } = await calendar();
    await world.sql('update calendars set owner_id = $2 where id = $1', [id, person.ownerId]);
    const held = await holdRows(world, 'select id from calendars where id = $1 for update', [id]);
    const removing = owner('people.remove', { personId: person.ownerId });
    await held.waiting(1, removing);

    const free = await world.sql(`${ACCOUNT} skip locked`);

    await held.release();
    expect([free.length, (await removing).status]).toEqual([1, 200]);
    expect(await world.sql('select id from calendars where id = $1', [id])).toEqual([]);
  });

  it.each<[string, string, () => Promise<{ readonly table: string; readonly id: string; readonly input: object }>]>([
    ['changes a webhook', 'webhooks.update', () => webhook({ description: 'Ours' })],
    ['rotates its secret', 'webhooks.rotateSecret', () => webhook({})],
    ['renews a calendar', 'calendars.renew', calendar],
  ])('finds the account free while another person %s and waits for it', async (_name, operation, make) => {
    const { table, id, input } = await make();
    const held = await holdRows(world, `select id from ${table} where id = $1 for update`, [id]);
    const changing = owner(operation, input);
    await held.waiting(1, changing);

    const free = await world.sql(`${ACCOUNT} skip locked`);

    await held.release();
    expect([free.length, (await changing).status]).toEqual([1, 200]);
  });
});

async function webhook(changes: object) {
  const { url } = await startReceiver();
  const { id } = await registerWebhook(world, url, { events: ['post.sent'] });
  return { table: 'webhooks', id, input: { webhookId: id, ...changes } };
}

async function calendar() {
  const { id } = (await world.rest('POST /calendars', { body: {} })).body.calendar;
  return { table: 'calendars', id, input: { calendarId: id } };
}
