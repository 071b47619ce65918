/** A profile that is deleted while its keys are used (docs/contract/profiles-and-keys.md#profiles). */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(8, 8).png().toBuffer();

/** A profile with a sandbox, and a key of it whose posts need approval. */
async function profileWithAgent() {
  const { id: accountId, key } = await makeAccount(world);
  const profile = await world.profile('Acme', accountId);
  await connectSandbox(world, { key, profileId: profile.id });
  const { secret: agent } = await world.key({ accountId, profileId: profile.id, approval: 'required' });
  return { key, agent, profileId: profile.id };
}

type Tenant = Awaited<ReturnType<typeof profileWithAgent>>;

// Each test needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a profile that is deleted', () => {
  it('waits for a post of its key that is being stored, and the two do not wait for each other', async () => {
    const { key, agent, profileId } = await profileWithAgent();
    const upload = await world.rest('POST /media', { key: agent, raw: PNG, headers: { 'content-type': 'image/png' } });
    const { id } = upload.body.media;
    // A post locks its images after the key that asks, and before it refers to its connection.
    const held = await holdRows(world, 'select id from media where id = $1 for update', [id]);
    const body = { text: 'Ding', connectionSlugs: ['sandbox'], mediaIds: [id] };
    const posting = world.rest('POST /posts', { key: agent, body });
    await held.waiting(1);
    const deleting = world.rest(`DELETE /profiles/${profileId}`, { key });
    await held.waiting(2, deleting);

    await held.release();

    expect((await posting).body.results[0]).toMatchObject({ status: 'draft', error: null });
    expect([(await deleting).status, (await deleting).body]).toEqual([
      200,
      { id: profileId, deleted: true, removedConnections: 1 },
    ]);
    expect((await world.rest('GET /approvals', { key })).body.approvals).toEqual([]);
  });

  it('and drafts that are being stored for several of its connections do not wait for each other', async () => {
    const { key, profileId } = await profileWithAgent();
    const { id: first } = await connectSandbox(world, { key, profileId, slug: 'first' });
    await connectSandbox(world, { key, profileId, slug: 'second' });
    const held = await holdRows(world, 'select id from connections where id = $1 for update', [first]);
    const deleting = world.rest(`DELETE /profiles/${profileId}`, { key });
    await held.waiting(1);
    const body = { text: 'Ding', connectionSlugs: ['second', 'first'], profileId, isDraft: true };
    const posting = world.rest('POST /posts', { key, body });
    await held.waiting(2, posting);

    await held.release();

    expect([(await deleting).status, (await posting).status]).toEqual([200, 200]);
  });

  it.each<[string, number, (profile: Tenant) => string, string]>([
    ['the account', 404, ({ key }) => key, 'not_found'],
    ['the profile', 401, ({ agent }) => agent, 'unauthorized'],
  ])('gets no connect session that a key of %s creates meanwhile', async (_name, status, by, error) => {
    const profile = await profileWithAgent();
    const { key, profileId } = profile;
    // The time of its last use is stored before the request waits for anything.
    await world.rest('GET /posts', { key: by(profile) });
    // A deletion locks connections after the profile and its keys, and ends the sessions after them.
    const held = await holdRows(world, 'select id from connections where profile_id = $1 for update', [profileId]);
    const deleting = world.rest(`DELETE /profiles/${profileId}`, { key });
    await held.waiting(1, deleting);
    const redirectUrl = 'https://app.example.com/connected';
    const creating = world.rest(`POST /profiles/${profileId}/connect`, { key: by(profile), body: { redirectUrl } });
    await held.waiting(2, creating);

    await held.release();

    expect((await deleting).status).toBe(200);
    expect([(await creating).status, (await creating).body.error]).toEqual([status, error]);
    expect(await world.sql('select id from connect_sessions where profile_id = $1', [profileId])).toEqual([]);
  });
});
