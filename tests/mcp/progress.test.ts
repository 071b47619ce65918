/** A client that asks for progress is notified after each connection. */
import { expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';
import { callRaw, connect, legacy } from './clients.ts';

const world = await startWorld();
for (const slug of ['one', 'two']) {
  await world.rest('POST /connections', { body: { platformId: 'sandbox', credentials: {}, slug } });
}
const slugs = ['one', 'two', 'unknown'];

it.each(['modern', 'legacy'] as const)('create_post reports each, and answers as always (%s)', async (era) => {
  const client = await connect(world, era);
  const received: object[] = [];

  const result = await client.callTool(
    { name: 'create_post', arguments: { text: 'Ding [[reject]]', connectionSlugs: slugs } },
    { onprogress: (progress) => received.push(progress) },
  );

  const { results } = result.structuredContent as { results: { connectionSlug: string; status: string }[] };
  expect(results.map(({ connectionSlug }) => connectionSlug)).toEqual(slugs);
  expect(received.map((progress) => ({ ...progress, message: undefined }))).toEqual(
    [1, 2, 3].map((progress) => ({ progress, total: 3, message: undefined })),
  );
  expect(received.map((progress) => (progress as { message: string }).message).toSorted()).toEqual(
    slugs.map((slug) => `${slug}: failed`).toSorted(),
  );
});

it('publish_draft and retry_post report their one connection', async () => {
  const client = await connect(world);
  const received: object[] = [];
  const onprogress = (progress: object) => received.push(progress);
  const create = async (text: string, isDraft: boolean) => {
    const body = { text, connectionSlugs: ['one'], isDraft };
    return (await world.rest('POST /posts', { body })).body.results[0].postId as string;
  };

  await client.callTool({ name: 'publish_draft', arguments: { postId: await create('Ding', true) } }, { onprogress });
  await client.callTool(
    { name: 'retry_post', arguments: { postId: await create('Ding [[reject]]', false) } },
    { onprogress },
  );

  expect(received).toEqual([
    { progress: 1, total: 1, message: 'one: sent' },
    { progress: 1, total: 1, message: 'one: failed' },
  ]);
});

it('a replay reports no progress', async () => {
  const client = await connect(world);
  const received: object[] = [];
  const call = () =>
    client.callTool(
      { name: 'create_post', arguments: { text: 'Once', connectionSlugs: ['one'], idempotencyKey: 'once' } },
      { onprogress: (progress) => received.push(progress) },
    );

  const [first, second] = [await call(), await call()];

  expect(second.structuredContent).toEqual(first.structuredContent);
  expect(received).toEqual([{ progress: 1, total: 1, message: 'one: sent' }]);
});

it('a call of the older revisions is answered with JSON, and with a stream only when it asks for progress', async () => {
  const call = (meta: object) =>
    callRaw(world, { body: legacy('tools/call', { name: 'list_profiles', arguments: {}, ...meta }) });

  const [plain, followed] = [await call({}), await call({ _meta: { progressToken: 1 } })];

  expect(plain.headers['content-type']).toBe('application/json');
  expect(followed.headers['content-type']).toBe('text/event-stream');
  expect(plain.body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { structuredContent: { profiles: [] } } });
  expect(followed.body).toEqual(plain.body);
});
