/** GET /posts/{postId}/events lists the events of a post with their deliveries, as far as the caller reaches. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { refusal, UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

// eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
type Answer = any;

const read = (postId: string, key: string, search = '') => world.rest(`GET /posts/${postId}/events${search}`, { key });

describe('200', () => {
  it('returns every event, newest first, with each delivery and its latest attempt', async () => {
    const { key } = await accountWithSandbox(world);
    const receiver = await startReceiver(500);
    const { id: webhookId, url } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
    const { postId } = await makePost(world, 'sandbox', { key });
    await world.runDue();
    const sentAt = world.clock.now();
    await world.advance(10_000);
    await world.rest(`DELETE /posts/${postId}`, { key });

    const { status, body } = await read(postId, key);

    expect([status, body]).toEqual([
      200,
      {
        events: [
          { id: UUID, event: 'post.deleted', mode: 'live', createdAt: world.clock.now().toISOString(), deliveries: [] },
          {
            id: UUID,
            event: 'post.sent',
            mode: 'live',
            createdAt: sentAt.toISOString(),
            deliveries: [
              {
                id: UUID,
                webhookId,
                url,
                status: 'pending',
                attempts: 1,
                lastStatusCode: 500,
                lastAttemptAt: sentAt.toISOString(),
                nextAttemptAt: new Date(sentAt.getTime() + 60_000).toISOString(),
              },
            ],
          },
        ],
        nextCursor: null,
      },
    ]);
  });

  it('returns the events that only webhooks that name them get, with their deliveries', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const profile = await world.profile('Other', accountId);
    const other = (await world.key({ accountId, profileId: profile.id })).secret;
    const asking = (await world.key({ accountId, approval: 'required' })).secret;
    const receiver = await startReceiver();
    const events = ['post.approval_requested', 'post.rejected'];
    const { id: webhookId, url } = await registerWebhook(world, receiver.url, { key, events });
    const { postId } = await makePost(world, 'sandbox', { key: asking });
    await world.rest(`POST /posts/${postId}/reject`, { key, body: { reason: 'No.' } });
    await world.runDue();
    const createdAt = world.clock.now().toISOString();

    const { body } = await read(postId, key);

    const delivery = {
      id: UUID,
      webhookId,
      url,
      status: 'delivered',
      attempts: 1,
      lastStatusCode: 200,
      lastAttemptAt: createdAt,
      nextAttemptAt: null,
    };
    const event = (name: string) => ({ id: UUID, event: name, mode: 'live', createdAt, deliveries: [delivery] });
    expect(body).toEqual({ events: [event('post.rejected'), event('post.approval_requested')], nextCursor: null });
    expect((await read(postId, other)).status).toBe(404);
  });

  it('pages without a gap or a duplicate', async () => {
    const { key } = await accountWithSandbox(world);
    const inMinutes = (minutes: number) => new Date(world.clock.now().getTime() + minutes * 60_000).toISOString();
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: inMinutes(30) });
    for (const minutes of [40, 50, 60]) {
      await world.rest(`POST /posts/${postId}/reschedule`, { key, body: { scheduledFor: inMinutes(minutes) } });
    }
    const ids = (answer: Answer) => answer.body.events.map(({ id }: { id: string }) => id);

    const all = ids(await read(postId, key));
    const first = await read(postId, key, '?limit=2');
    const second = await read(postId, key, `?limit=2&cursor=${first.body.nextCursor}`);

    expect(all).toHaveLength(3);
    expect([...ids(first), ...ids(second)]).toEqual(all);
    expect(second.body.nextCursor).toBeNull();
  });

  it('shows a key of a profile and a test key only the deliveries of webhooks that they manage', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const ofProfile = (await world.key({ accountId, profileId: profile.id })).secret;
    const test = (await world.key({ accountId, type: 'test' })).secret;
    await connectSandbox(world, { key, slug: 'acme', profileId: profile.id });
    const receiver = await startReceiver();
    const register = async (by: string) => (await registerWebhook(world, receiver.url, { key: by })).id;
    const webhooks = { key: await register(key), ofProfile: await register(ofProfile), test: await register(test) };
    const seen = async (postId: string, by: string) => {
      const { body } = await read(postId, by);
      return body.events.map(({ event, deliveries }: Answer) => [
        event,
        ...deliveries.map(({ webhookId }: Answer) => webhookId).toSorted(),
      ]);
    };

    const live = await makePost(world, 'acme', { key, profileId: profile.id });
    const tested = await makePost(world, 'acme', { key: test, profileId: profile.id });
    await world.runDue();

    const { key: all, ofProfile: theirs, test: tests } = webhooks;
    expect(await seen(live.postId, key)).toEqual([['post.sent', ...[all, theirs].toSorted()]]);
    expect(await seen(live.postId, ofProfile)).toEqual([['post.sent', theirs]]);
    expect(await seen(live.postId, test)).toEqual([]);
    expect(await seen(tested.postId, test)).toEqual([['post.sent', tests]]);
  });

  it('shows no delivery to a webhook that was deleted', async () => {
    const { key } = await accountWithSandbox(world);
    const { id } = await registerWebhook(world, (await startReceiver()).url, { key });
    const { postId } = await makePost(world, 'sandbox', { key });
    await world.runDue();
    await world.rest(`DELETE /webhooks/${id}`, { key });

    const { body } = await read(postId, key);

    expect(body.events).toMatchObject([{ event: 'post.sent', deliveries: [] }]);
  });
});

describe('refusals', () => {
  it('are 404 for an unknown post and for one of another account', async () => {
    const { key } = await accountWithSandbox(world);
    const { key: foreign } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });

    expect((await read(UNKNOWN_ID, key)).body).toEqual(
      refusal('not_found', `No post of yours has the id ${UNKNOWN_ID}.`),
    );
    expect((await read(postId, foreign)).status).toBe(404);
  });

  it.each(['?limit=0', '?limit=51', '?cursor=1'])('are 400 for %s', async (search) => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });

    expect((await read(postId, key, search)).body.error).toBe('invalid_request');
  });
});
