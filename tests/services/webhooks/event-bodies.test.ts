/** Each event is delivered as the OpenAPI document declares it: body and headers. */
import { expect, it } from 'vitest';
import { DEFAULT_EVENT_NAMES, type EventName, EVENT_NAMES } from '../../../entities/event.ts';
import { apiDocument, deliveryProblem } from '../../harness/api-document.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

/** Events that a webhook gets only when it names them. */
const LATER = EVENT_NAMES.filter((name) => !(DEFAULT_EVENT_NAMES as readonly string[]).includes(name));

it('every event is delivered with the body and the headers that the document declares', async () => {
  const world = await startWorld();
  const { id: accountId, key, connection } = await accountWithSandbox(world);
  const receiver = await startReceiver();
  const webhook = await registerWebhook(world, receiver.url, { key });
  const profile = await world.profile('Acme', accountId);

  // Sent, its metrics read, and deleted.
  const { postId } = await makePost(world, 'sandbox', {
    key,
  });
  await world.advance(3_600_000);
  await world.rest(`DELETE /posts/${postId}`, { key });
  // Failed, immediately and after a wait, and scheduled again.
  const failed = await makePost(world, 'sandbox', { key, text: '[[reject]]' });
  await makePost(world, 'sandbox', {
    key,
    text: '[[reject]]',
    scheduledFor: new Date(world.clock.now().getTime() + 60_000).toISOString(),
  });
  await world.rest(`POST /posts/${failed.postId}/retry`, {
    key,
    body: { scheduledFor: new Date(world.clock.now().getTime() + 120_000).toISOString() },
  });
  await world.rest(`POST /webhooks/${webhook.id}/test`, { key });
  await connectSandbox(world, { key, slug: 'second' });
  await world.rest(`PATCH /connections/${connection.id}`, { key, body: { profileId: profile.id } });
  await world.advance(300_000);

  // Another webhook whose attempts all fail.
  const failing = await startReceiver(500);
  const { id: failingId } = await registerWebhook(world, failing.url, { key });
  await registerWebhook(world, receiver.url, { key, events: LATER });
  const closed = { url: 'http://127.0.0.1:9/feed.xml', connectionSlugs: ['second'] };
  await world.rest('POST /feeds', { key, body: closed });
  await world.rest(`POST /webhooks/${failingId}/test`, { key });
  const asking = await world.key({ accountId, approval: 'required' });
  const ask = async () => (await makePost(world, 'second', { key: asking.secret, text: 'May I?' })).postId;
  const [yes, no] = [await ask(), await ask()];
  await ask();
  await world.rest(`POST /posts/${yes}/approve`, { key, body: {} });
  await world.rest(`POST /posts/${no}/reject`, { key, body: { reason: 'No.' } });
  for (let halfDay = 0; halfDay < 15; halfDay += 1) await world.advance(43_200_000);

  const names = new Set(receiver.received.map(({ body }) => body.event as EventName));
  expect([...names].toSorted()).toEqual([...EVENT_NAMES].toSorted());
  const problems = receiver.received.flatMap(({ body }) => deliveryProblem(body.event, body) ?? []);
  expect(problems).toEqual([]);
  expect(receiver.received.some(({ body }) => body.test === true)).toBe(true);
  for (const { headers, body } of receiver.received) {
    // eslint-disable-next-line typescript/no-explicit-any -- the document is data
    const declared = (apiDocument.webhooks[body.event] as any).post.parameters as {
      name: string;
      required: boolean;
      schema: { pattern?: string; enum?: string[] };
    }[];
    const unlike = declared.filter(({ name, required, schema }) => {
      if (!required && headers[name] === undefined) return false;
      const value = String(headers[name]);
      return !new RegExp(schema.pattern ?? '').test(value) || schema.enum?.includes(value) === false;
    });
    expect(unlike).toEqual([]);
  }
});
