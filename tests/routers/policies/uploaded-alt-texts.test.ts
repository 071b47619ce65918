/**
 * A post without its own alt text goes out with that of the upload, so policies and people look at that one
 * (docs/contract/policies.md, docs/contract/approvals.md).
 */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { plain } from '../../harness/images.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const raw = await plain(8, 8).png().toBuffer();
const RULES = { approvalWords: ['refund'] };

/** An account with a sandbox, the key of its owner, and the key of an agent under a policy. */
async function tenant(rules: object | null = RULES) {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const agent = await world.key({ accountId });
  if (rules !== null) await world.rest(`PUT /policies/${agent.id}`, { key, body: rules });
  return {
    key,
    agent,
    connection,
    upload: async (altText: string): Promise<string> => {
      const path: `POST /${string}` = `POST /media?altText=${encodeURIComponent(altText)}`;
      const headers = { 'content-type': 'image/png' };
      return (await world.rest(path, { key: agent.secret, raw, headers })).body.media.id;
    },
    ask: async (path: `POST /${string}`, fields: object = {}) =>
      (
        await world.rest(path, {
          key: agent.secret,
          body: { text: 'Ding', connectionSlugs: ['sandbox'], ...fields },
        })
      ).body.results[0],
    publish: (postId: string, body: object = {}) =>
      world.rest(`POST /posts/${postId}/publish`, { key: agent.secret, body }),
    approvals: async () => (await world.rest('GET /approvals', { key })).body.approvals,
    published: async () => (await sandboxOf(world, connection.id)).length,
  };
}

it('a policy finds a word in the alt text of the upload, and the request shows it to the person who decides', async () => {
  const { upload, ask, approvals, published } = await tenant();
  const id = await upload('A refund');

  const previewed = await ask('POST /posts/validate', { mediaIds: [id] });
  const asked = await ask('POST /posts', { mediaIds: [id] });

  expect(previewed.rules).toMatchObject([{ rule: 'approvalWords', effect: 'approval' }]);
  expect(asked).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
  expect((await approvals()).map(({ content }: { content: object }) => content)).toEqual([
    { text: 'Ding', thread: [], firstComment: null, media: [{ id, altText: 'A refund' }] },
  ]);
  expect(await published()).toBe(0);
});

it('a policy finds it when a draft is published, and the request shows it', async () => {
  const { upload, ask, publish, approvals, published } = await tenant();
  const id = await upload('A refund');
  const { postId } = await ask('POST /posts', { mediaIds: [id], isDraft: true });

  const { body } = await publish(postId);

  expect(body.result).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
  expect((await approvals())[0].content.media).toEqual([{ id, altText: 'A refund' }]);
  expect(await published()).toBe(0);
});

it('an alt text of the post replaces it, so that the post goes out', async () => {
  const { upload, ask, published } = await tenant();
  const id = await upload('A refund');

  expect((await ask('POST /posts', { media: [{ id, altText: 'A bell' }] })).status).toBe('sent');
  expect(await published()).toBe(1);
});

it('trying a policy finds it in posts of before', async () => {
  const { key, agent, upload, ask } = await tenant(null);
  const { postId } = await ask('POST /posts', { mediaIds: [await upload('A refund')] });

  const { body } = await world.rest(`POST /policies/${agent.id}/try`, { key, body: RULES });

  expect(body.stopped).toMatchObject([{ postId, rules: [{ rule: 'approvalWords' }] }]);
});

// The test needs a second connection to the database.
it.skipIf(world.db.engine !== 'postgres')(
  'a draft gets another image while it is published: the policy follows the alt text that goes out',
  async () => {
    const { key, connection, upload, ask, publish, published } = await tenant();
    const [before, after] = [await upload('A bell'), await upload('A refund')];
    const { postId } = await ask('POST /posts', { mediaIds: [before], isDraft: true });
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots } });
    // Taking a slot locks the connection, after the policy has read the images.
    const held = await holdRows(world, 'select id from connections where id = $1 for update', [connection.id]);
    const publishing = publish(postId, { queue: true });
    await held.waiting(1);
    await world.rest(`PATCH /posts/${postId}`, { key, body: { media: [{ id: after }] } });

    await held.release();

    const { body } = await publishing;
    expect([body.result.status, body.result.approval?.state]).toEqual(['draft', 'pending']);
    expect(await published()).toBe(0);
  },
);
