/** What a test key decides about posts of live keys to the sandbox (docs/contract/approvals.md#allowances). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** A post to the sandbox that a key of this type asks for, and a test key of the account. */
async function askedBy(type: 'live' | 'test') {
  const { id: accountId } = await accountWithSandbox(world);
  const { secret: asking } = await world.key({ accountId, type, approval: 'required' });
  const { secret: testKey } = await world.key({ accountId, type: 'test' });
  const post = async (text: string) => {
    const { body } = await world.rest('POST /posts', { key: asking, body: { text, connectionSlugs: ['sandbox'] } });
    return body.results[0];
  };
  const { postId } = await post('May I?');
  const approve = (body: object) => world.rest(`POST /posts/${postId}/approve`, { key: testKey, body });
  return { post, postId, approve };
}

describe('a test key that approves', () => {
  it('lets no further posts of a live key go out, and the request still waits', async () => {
    const { post, postId, approve } = await askedBy('live');

    const { status, body } = await approve({ next: { posts: 50 } });

    const message =
      'next: the key or agent that asked is live, so its next posts may be live too, and a test key cannot let them go out. Leave out next, or use a live key.';
    expect([status, body]).toEqual([403, refusal('forbidden', message)]);
    expect((await post('And I?')).status).toBe('draft');
    expect((await approve({})).body.result).toMatchObject({ postId, status: 'sent' });
  });

  it('lets further posts of a test key go out', async () => {
    const { post, approve } = await askedBy('test');

    expect((await approve({ next: { posts: 1 } })).status).toBe(200);

    expect([(await post('Two')).status, (await post('Three')).status]).toEqual(['sent', 'draft']);
  });
});
