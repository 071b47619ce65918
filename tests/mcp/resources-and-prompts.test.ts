/**
 * Resources and prompts: listed with descriptions, read as REST bodies, and completed from the caller's own objects.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { connect } from './clients.ts';

let world: World;
let client: Awaited<ReturnType<typeof connect>>;
let postId: string;
beforeAll(async () => {
  world = await startWorld();
  client = await connect(world);
  const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
  postId = (await world.rest('POST /posts', { body })).body.results[0].postId;
});

describe('resources', () => {
  it('are described', async () => {
    const { resources } = await client.listResources();
    const own = resources.filter(({ uri }) => uri.startsWith('carillon:'));

    expect(own.map(({ uri }) => uri)).toEqual([
      'carillon://platforms',
      'carillon://connections',
      'carillon://approvals',
      'carillon://openapi',
    ]);
    for (const { uri, title, description = '', mimeType } of own) {
      expect({ uri, mimeType }).toEqual({ uri, mimeType: 'application/json' });
      expect(title).toMatch(/^[A-Z]/);
      expect(description.length).toBeGreaterThanOrEqual(40);
    }
  });

  it.each([
    ['carillon://platforms', 'GET /platforms', {}],
    [
      'carillon://connections',
      'GET /connections',
      { _meta: { 'carillon/untrusted': ['connections[].handle', 'connections[].description'] } },
    ],
    ['carillon://approvals', 'GET /approvals', {}],
    ['carillon://openapi', 'GET /openapi.json', {}],
  ] as const)('%s is the body of %s', async (uri, call, marks) => {
    const { contents } = await client.readResource({ uri });

    expect(contents).toEqual([
      { uri, mimeType: 'application/json', text: JSON.stringify((await world.rest(call)).body), ...marks },
    ]);
  });

  it.each([
    'carillon://nothing',
    'carillon://posts/01a1fdfa-4600-7051-a4e5-000000000000',
    'carillon://posts/hello',
    'carillon://connections/unknown',
  ])('that do not exist are a protocol error: %s', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('templates of resources', () => {
  it('are described', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    const own = resourceTemplates.filter(({ uriTemplate }) => uriTemplate.startsWith('carillon:'));

    expect(own.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'carillon://posts/{postId}',
      'carillon://connections/{slug}',
    ]);
    for (const { description = '' } of own) expect(description.length).toBeGreaterThanOrEqual(40);
  });

  it('give a post as GET /posts/{postId} does', async () => {
    const { contents } = await client.readResource({ uri: `carillon://posts/${postId}` });

    const { body } = await world.rest(`GET /posts/${postId}`);
    expect(contents).toMatchObject([{ text: JSON.stringify(body) }]);
  });

  it('give a connection by its slug, and of two with the same slug the caller’s own', async () => {
    const profile = await world.profile();
    const body = { platformId: 'sandbox', credentials: {}, slug: world.sandboxSlug, profileId: profile.id };
    const { status } = await world.rest('POST /connections', { body });

    const { contents } = await client.readResource({ uri: `carillon://connections/${world.sandboxSlug}` });

    expect(status).toBe(200);
    const [own] = (await world.rest('GET /connections')).body.connections.filter(
      ({ slug, profileId }: { slug: string; profileId: string | null }) =>
        slug === world.sandboxSlug && profileId === null,
    );
    expect(contents).toMatchObject([{ text: JSON.stringify({ connection: own }) }]);
  });

  it('show nothing of another account or profile', async () => {
    const scoped = await world.key({ profileId: (await world.profile()).id });
    const foreign = await connect(world, 'modern', scoped.secret);

    for (const uri of [`carillon://posts/${postId}`, `carillon://connections/${world.sandboxSlug}`])
      await expect(foreign.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });

  it.each([
    ['carillon://posts/{postId}', 'postId', () => postId],
    ['carillon://connections/{slug}', 'slug', () => world.sandboxSlug],
  ])('complete %s', async (uri, name, whole) => {
    const complete = async (value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values;

    expect(await complete(whole().slice(0, 3))).toEqual([whole()]);
    expect(await complete('nothing-like-it')).toEqual([]);
  });
});

describe('prompts', () => {
  it('are described, with every argument', async () => {
    const { prompts } = await client.listPrompts();

    expect(
      prompts.map((prompt) => [prompt.name, prompt.arguments?.map(({ name, required }) => [name, required])]),
    ).toEqual([
      ['draft_post', [['topic', true], ['connectionSlug', true]]], // prettier-ignore
      ['draft_campaign', [['topic', true], ['connectionSlugs', true], ['days', false]]], // prettier-ignore
      ['repurpose_for_platforms', [['text', true], ['connectionSlugs', true]]], // prettier-ignore
      ['weekly_review', [['connectionSlug', false]]],
    ]);
    for (const prompt of prompts) {
      expect(prompt.description?.length).toBeGreaterThanOrEqual(40);
      for (const { description = '' } of prompt.arguments ?? []) expect(description).toMatch(/^.{10,}$/);
    }
  });

  const cases: [string, Record<string, string>, RegExp][] = [
    [
      'draft_post',
      { topic: 'Our new bell', connectionSlug: 'sandbox' },
      /"sandbox"[\s\S]*Our new bell[\s\S]*Do not send it yet[\s\S]*create_post/,
    ],
    [
      'draft_campaign',
      { topic: 'Our new bell', connectionSlugs: 'one, two,one', days: '3' },
      /next 3 days[^\n]*"one", "two" about[\s\S]*Our new bell[\s\S]*Schedule nothing yet[\s\S]*idempotencyKey/,
    ],
    ['draft_campaign', { topic: 'Our new bell', connectionSlugs: 'one' }, /next 7 days/],
    [
      'repurpose_for_platforms',
      { text: 'A long story', connectionSlugs: 'one,two' },
      /"one", "two"[\s\S]*A long story[\s\S]*textByPlatform[\s\S]*Do not send them yet[\s\S]*create_post/,
    ],
    ['weekly_review', {}, /Review the posts of the last seven days\. Change nothing/],
    ['weekly_review', { connectionSlug: 'one' }, /posts of the connection "one"/],
  ];

  it.each(cases)('%s asks for approval before anything is sent: %o', async (name, args, wanted) => {
    const { messages } = await client.getPrompt({ name, arguments: args });

    expect(messages).toHaveLength(1);
    const { role, content } = messages[0] ?? {};
    expect(role).toBe('user');
    expect((content as { text: string }).text).toMatch(wanted);
  });

  it.each(['draft_post', 'weekly_review'])('%s completes a slug from the connections of the caller', async (name) => {
    const complete = async (value: string) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'connectionSlug', value } }))
        .completion.values;

    expect(await complete(world.sandboxSlug.slice(0, 3))).toEqual([world.sandboxSlug]);
    expect(await complete('nothing-like-it')).toEqual([]);
  });

  it.each(['draft_campaign', 'repurpose_for_platforms'])('%s completes the last of several slugs', async (name) => {
    const complete = async (value: string) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'connectionSlugs', value } }))
        .completion.values;

    const begun = world.sandboxSlug.slice(0, 3);
    expect(await complete(`other, ${begun}`)).toEqual([`other,${world.sandboxSlug}`]);
    expect(await complete(`${world.sandboxSlug},${begun}`)).toEqual([]);
  });

  it('refuse a missing argument by name, and a campaign of zero or too many days', async () => {
    await expect(client.getPrompt({ name: 'draft_post', arguments: { topic: 'x' } })).rejects.toThrow(/connectionSlug/);
    for (const days of ['0', '31', 'many']) {
      const args = { topic: 'x', connectionSlugs: 'one', days };
      await expect(client.getPrompt({ name: 'draft_campaign', arguments: args })).rejects.toThrow(/1 to 30/);
    }
  });
});
