/** Answers that created or changed posts link to them, for clients of revisions that support resource links. */
import { expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';
import { callRaw, connect, connectV1, legacy } from './clients.ts';

const world = await startWorld();

interface Result {
  readonly structuredContent: { readonly results: { readonly postId: string }[] };
  readonly content: object[];
}

const post = { name: 'create_post', arguments: { text: 'Ding', connectionSlugs: [world.sandboxSlug, 'unknown'] } };

it.each([
  ['2026-07-28', () => connect(world, 'modern')],
  ['2025-11-25', () => connect(world, 'legacy')],
  ['the v1 client', () => connectV1(world) as unknown as ReturnType<typeof connect>],
])('%s: after the text, one for each stored post', async (_name, open) => {
  const client = await open();
  await client.listTools();

  const { content, structuredContent } = (await client.callTool(post)) as unknown as Result;

  const [id] = structuredContent.results.map(({ postId }) => postId);
  expect(content).toEqual([
    { type: 'text', text: JSON.stringify(structuredContent) },
    { type: 'resource_link', uri: `carillon://posts/${id}`, name: `post ${id}`, mimeType: 'application/json' },
  ]);
  expect(JSON.stringify((await client.readResource({ uri: `carillon://posts/${id}` })).contents)).toContain(id);
});

it('revisions before 2025-06-18 get the text alone', async () => {
  const { body } = await callRaw(world, { body: legacy('tools/call', post) });

  expect(body.result.content).toEqual([{ type: 'text', text: JSON.stringify(body.result.structuredContent) }]);
});
