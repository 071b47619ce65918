/** A key that no longer has to ask cannot decide on what it asked for before (docs/contract/approvals.md#who-approves). */
import { expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { eventsAbout, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const connection = await connectSandbox(world, { key: world.liveKey });

/** A post that an unscoped key of the account has asked for under a policy, which is then removed. */
async function askedBeforePolicyEnded() {
  const { secret: key, id: keyId } = await world.key();
  await world.rest(`PUT /policies/${keyId}`, { body: { approvalAlways: true } });
  const body = { text: 'May I?', connectionSlugs: [connection.slug] };
  const { postId, approval } = (await world.rest('POST /posts', { key, body })).body.results[0];
  expect(approval.state).toBe('pending');
  expect((await world.rest(`DELETE /policies/${keyId}`)).status).toBe(200);
  return {
    key,
    keyId,
    postId: postId as string,
    approval,
    read: async () => (await world.rest(`GET /posts/${postId}`)).body.post,
  };
}

it.each([
  ['approve', {}],
  ['approve', { next: { posts: 5 } }],
  ['reject', { reason: 'No.' }],
])('%s with %j answers 403 to the key that asked, and the request still waits', async (decision, body) => {
  const { key, postId, approval, read } = await askedBeforePolicyEnded();
  const published = await sandboxOf(world, connection.id);

  const answer = await world.rest(`POST /posts/${postId}/${decision}`, { key, body });

  expect([answer.status, answer.body]).toEqual([
    403,
    {
      error: 'forbidden',
      message: `This key or agent asked for approval of the post ${postId}, so it cannot decide on it. Another key of the account or an owner in the console decides.`,
      hint: 'Use an unscoped live key of the account; in the console, ask an owner of the account.',
      retryable: false,
      docs: 'http://localhost:3000/docs/errors#forbidden',
    },
  ]);
  expect(await read()).toMatchObject({ status: 'draft', approval });
  expect(await sandboxOf(world, connection.id)).toEqual(published);
});

it('is approved by another key of the account', async () => {
  const { postId, read } = await askedBeforePolicyEnded();
  const { secret: key, id } = await world.key();

  const { status } = await world.rest(`POST /posts/${postId}/approve`, { key, body: {} });

  expect(status).toBe(200);
  expect(await read()).toMatchObject({
    status: 'sent',
    approval: { state: 'approved', decidedBy: { kind: 'key', id } },
  });
});

it('is approved by an owner in the console', async () => {
  const { postId, read } = await askedBeforePolicyEnded();
  const call = await consoleCalls(world);

  const { status } = await call('approvals.approve', { postId });

  expect(status).toBe(200);
  expect(await read()).toMatchObject({
    status: 'sent',
    approval: { state: 'approved', decidedBy: { kind: 'person' } },
  });
});

it('is void when the key that asked publishes the draft without having to ask', async () => {
  const { key, postId, read } = await askedBeforePolicyEnded();

  const { status } = await world.rest(`POST /posts/${postId}/publish`, { key, body: {} });

  expect(status).toBe(200);
  expect(await read()).toMatchObject({
    status: 'sent',
    approval: { state: 'void', reason: 'The draft was published.' },
  });
  expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.approval_requested', 'post.sent']);
});
