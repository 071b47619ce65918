/** AI polish of scheduled posts whose policy is gone when they go out (docs/contract/policies.md#rules). */
import { beforeEach, expect, it } from 'vitest';
import { tenantWithCreatedKey } from '../../harness/created-keys.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { callTool, tokensFor } from '../../oauth/agents.ts';
import { personOf } from '../../oauth/people.ts';

const { world, model } = await startPolishedWorld(OWNER_ENV);
const owner = await consoleCalls(world);

const REFUND = { approvalWords: ['refund'] };
const REWRITTEN = 'Hello, get your refund';

beforeEach(() => {
  model.answer = () => REWRITTEN;
});

/** Text and warning of the post after its time. */
async function sentLater(postId: string) {
  await world.advance(60_000);
  const [post] = await world.sql('select status, text, rewrite_warning as warning from posts where id = $1', [postId]);
  return post;
}

/** In a minute, with a rewrite. */
const later = () => ({
  text: 'Helo',
  rewrite: true,
  scheduledFor: new Date(+world.clock.now() + 60_000).toISOString(),
});

it('sends the original when the policy has ended with the person who had allowed the agent', async () => {
  const person = await personOf(world, 'editor');
  const { access } = await tokensFor(world, person, { scope: 'posts:read posts:write' });
  const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where owner_id = $1', [person.ownerId]);
  expect((await world.rest(`PUT /policies/${grant?.id}`, { body: REFUND })).status).toBe(200);
  const input = { ...later(), connectionSlugs: [world.sandboxSlug] };
  const { structuredContent } = (await callTool(world, access, 'create_post', input)).body.result;
  expect((await owner('people.remove', { personId: person.ownerId })).status).toBe(200);

  expect(await sentLater(structuredContent.results[0].postId)).toEqual({
    status: 'sent',
    text: 'Helo',
    warning: 'The policy of the post has ended with its key or agent. The original text went out.',
  });
});

it('follows the policy of its creator when that of the key was removed', async () => {
  const { key, creator, created, post } = await tenantWithCreatedKey(world);
  await world.rest(`PUT /policies/${creator.id}`, { key, body: REFUND });
  await world.rest(`PUT /policies/${created.id}`, { key, body: {} });
  const { postId } = await post(created, later());
  await world.rest(`DELETE /policies/${created.id}`, { key });

  expect(await sentLater(postId)).toEqual({
    status: 'sent',
    text: 'Helo',
    warning: 'The rewrite added a word that needs a person. The original text went out.',
  });
});

it('follows none when the policy of the key was removed and nothing above has one', async () => {
  const { key, created, post } = await tenantWithCreatedKey(world);
  await world.rest(`PUT /policies/${created.id}`, { key, body: REFUND });
  const { postId } = await post(created, later());
  await world.rest(`DELETE /policies/${created.id}`, { key });

  expect(await sentLater(postId)).toEqual({ status: 'sent', text: REWRITTEN, warning: null });
});

it.each([
  ['', () => undefined],
  [', when it followed that of its creator before', ({ put, creator }: Putting) => put(creator.id, {})],
])('follows the policy that the key got after its post was scheduled%s', async (_before, before) => {
  const { key, creator, created, post } = await tenantWithCreatedKey(world);
  const put = (keyId: string, body: object) => world.rest(`PUT /policies/${keyId}`, { key, body });
  await before({ put, creator });
  const { postId } = await post(created, later());
  await put(created.id, REFUND);

  expect(await sentLater(postId)).toEqual({
    status: 'sent',
    text: 'Helo',
    warning: 'The rewrite added a word that needs a person. The original text went out.',
  });
});

interface Putting {
  readonly creator: { readonly id: string };
  put(keyId: string, body: object): Promise<unknown>;
}
