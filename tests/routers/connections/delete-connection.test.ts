/** DELETE /connections/{connectionId} deletes the credentials, cancels pending posts and keeps sent posts readable. */
import { describe, expect, it, vi } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, storeBluesky } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

function notFound(id: string) {
  return refusal('not_found', `No connection of yours has the id ${id}.`);
}

describe('200', () => {
  it('deletes the credentials, and answers not_found afterwards', async () => {
    const { key } = await makeAccount(world);
    const { id } = await connectSandbox(world, { key });

    const { status, body } = await world.rest(`DELETE /connections/${id}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ id, deleted: true });
    expect(await world.sql('select credentials from connections where id = $1', [id])).toEqual([{ credentials: null }]);
    const again = await world.rest(`DELETE /connections/${id}`, { key });
    expect([again.status, again.body]).toEqual([404, notFound(id)]);
  });

  it('emits connection.removed once', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const { id } = await connectSandbox(world, { key, profileId: profile.id });
    const deletedAt = world.clock.now().toISOString();

    await world.rest(`DELETE /connections/${id}`, { key });

    const [, ...removed] = await eventsAbout(world, id);
    expect(removed).toEqual([
      {
        id: UUID,
        account_id: accountId,
        profile_id: profile.id,
        name: 'connection.removed',
        mode: 'live',
        payload: {
          connection: { id, profileId: profile.id, connectSessionId: null, platformId: 'sandbox', slug: 'sandbox' },
        },
        created_at: deletedAt,
      },
    ]);
  });

  it('cancels only the pending posts of this connection', async () => {
    const { key } = await makeAccount(world);
    const gone = await connectSandbox(world, { key, slug: 'gone' });
    await connectSandbox(world, { key, slug: 'stays' });
    const scheduledFor = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    const cancelled = await makePost(world, 'gone', { key, scheduledFor });
    const kept = await makePost(world, 'stays', { key, scheduledFor });

    await world.rest(`DELETE /connections/${gone.id}`, { key });
    await world.advance(3_600_000);

    const { body } = await world.rest('GET /posts', { key });
    expect(body.posts).toMatchObject([
      { id: kept.postId, status: 'sent' },
      { id: cancelled.postId, status: 'cancelled' },
    ]);
    expect(await sandboxOf(world, gone.id)).toEqual([]);
    expect(await eventsAbout(world, cancelled.postId)).toEqual([]);
  });

  it('keeps its sent posts readable', async () => {
    const { key } = await makeAccount(world);
    const { id, slug } = await connectSandbox(world, { key });
    const { postId } = await makePost(world, slug, { key });
    const before = await world.rest(`GET /posts/${postId}`, { key });

    await world.rest(`DELETE /connections/${id}`, { key });

    const after = await world.rest(`GET /posts/${postId}`, { key });
    expect(after.status).toBe(200);
    expect(after.body).toEqual(before.body);
  });

  it('lets one of two concurrent deletes succeed', async () => {
    const { key } = await makeAccount(world);
    const { id } = await connectSandbox(world, { key });

    const answers = await Promise.all([1, 2].map(() => world.rest(`DELETE /connections/${id}`, { key })));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    const events = await eventsAbout(world, id);
    expect(events.map(({ name }) => name)).toEqual(['connection.created', 'connection.removed']);
  });
});

describe('a post whose connection is deleted after its request has found it', () => {
  const HOUR = 3_600_000;
  const GONE = {
    status: 'failed',
    postId: null,
    error: { code: 'invalid_connection', message: 'The connection "gone" was deleted during the request.' },
  };

  async function tenant() {
    const { id: accountId, key } = await makeAccount(world);
    const { id } = await connectSandbox(world, { key, slug: 'gone' });
    await connectSandbox(world, { key, slug: 'stays' });
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '15:00' }));
    await world.rest(`PATCH /connections/${id}/queue`, { key, body: { slots } });
    const post = async (fields: object = {}, by = key) => {
      const body = { text: 'Ding', connectionSlugs: ['gone'], ...fields };
      return (await world.rest('POST /posts', { key: by, body })).body.results;
    };
    return {
      id,
      key,
      post,
      policed: async (): Promise<string> => {
        const agent = await world.key({ accountId });
        await world.rest(`PUT /policies/${agent.id}`, { key, body: { postsPerDay: 5 } });
        return agent.secret;
      },
      postWhileDeleted: async (fields: object = {}, by = key) => {
        const lookups = world.context.targetLookups;
        const add = lookups.add.bind(lookups);
        const spy = vi.spyOn(lookups, 'add').mockImplementationOnce(async (lookup) => {
          const rows = await add(lookup);
          await world.rest(`DELETE /connections/${id}`, { key });
          return rows;
        });
        const results = await post(fields, by);
        spy.mockRestore();
        return results;
      },
    };
  }

  it('is refused: sent now, at a time, or in the queue', async () => {
    const scheduledFor = new Date(world.clock.now().getTime() + HOUR).toISOString();
    for (const fields of [{}, { scheduledFor }, { queue: true }]) {
      const { id, postWhileDeleted } = await tenant();

      expect(await postWhileDeleted(fields)).toMatchObject([GONE]);

      expect(await world.sql('select id from posts where connection_id = $1', [id])).toEqual([]);
      expect(await sandboxOf(world, id)).toEqual([]);
    }
  });

  it('is refused under a policy, and the post for another connection is sent', async () => {
    const { policed, postWhileDeleted } = await tenant();

    const results = await postWhileDeleted({ connectionSlugs: ['gone', 'stays'] }, await policed());

    expect(results).toMatchObject([GONE, { connectionSlug: 'stays', status: 'sent' }]);
  });

  it('is stored as a draft, if it is one', async () => {
    const { postWhileDeleted } = await tenant();

    expect(await postWhileDeleted({ isDraft: true })).toMatchObject([{ status: 'draft' }]);
  });

  it.skipIf(world.db.engine !== 'postgres')(
    'is refused when it is stored while the connection is deleted',
    async () => {
      const { id, post } = await tenant();
      const held = await holdRows(
        world,
        `with locked as (select id from connections where id = $1 for update)
       update connections c set deleted_at = created_at, credentials = null from locked where c.id = locked.id`,
        [id],
      );
      const posting = post();
      await held.waiting(1);

      await held.release();

      expect(await posting).toMatchObject([GONE]);
      expect(await sandboxOf(world, id)).toEqual([]);
    },
  );
});

describe('400 invalid_request', () => {
  it('is the answer for an id that is not a UUID', async () => {
    const { status, body } = await world.rest('DELETE /connections/sandbox');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'connectionId: expected a UUID.', {
        details: [{ path: 'connectionId', expected: 'a UUID', received: 'sandbox' }],
      }),
    );
  });
});

describe('403 forbidden', () => {
  it('refuses a scoped key, also within its profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    const { id } = await connectSandbox(world, { key, profileId: profile.id });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`DELETE /connections/${id}`, { key: scoped.secret });

    expect(status).toBe(403);
    expect(body).toEqual(
      refusal(
        'forbidden',
        'This key or access token is limited to one profile; this operation needs one that reaches the whole account.',
      ),
    );
    expect((await world.rest(`GET /connections/${id}`, { key })).status).toBe(200);
  });
});

describe('404 not_found', () => {
  it('for an unknown id', async () => {
    const { status, body } = await world.rest(`DELETE /connections/${UNKNOWN_ID}`);

    expect(status).toBe(404);
    expect(body).toEqual(notFound(UNKNOWN_ID));
  });

  it('for another account’s connection, which stays unchanged', async () => {
    const [one, other] = [await makeAccount(world), await makeAccount(world)];
    const { id } = await connectSandbox(world, { key: other.key });

    const { status, body } = await world.rest(`DELETE /connections/${id}`, { key: one.key });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(id));
    expect((await world.rest(`GET /connections/${id}`, { key: other.key })).status).toBe(200);
  });

  it('for a connection outside the sandbox with a test key, which stays unchanged', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const { id } = await storeBluesky(world, accountId);
    const testKey = await world.key({ accountId, type: 'test' });

    const { status, body } = await world.rest(`DELETE /connections/${id}`, { key: testKey.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(id));
    expect((await world.rest(`GET /connections/${id}`, { key })).status).toBe(200);
  });
});
