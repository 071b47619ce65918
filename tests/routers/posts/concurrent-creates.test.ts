/** Requests that create posts at the same moment share statements, and nothing else. */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { startWorld, type World } from '../../harness/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

const create = (body: object, key?: string) => world.rest('POST /posts', { body, ...(key !== undefined && { key }) });

const numbered = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('requests that arrive together', () => {
  it('are answered each with its own post, which is published once', async () => {
    const answers = await Promise.all(
      numbered(60).map((index) => create({ text: `Together ${index}`, connectionSlugs: [world.sandboxSlug] })),
    );

    const posts = await Promise.all(
      answers.map(async ({ body }) => (await world.rest(`GET /posts/${body.results[0].postId}`)).body.post),
    );
    expect(posts.map(({ text, status }) => [text, status])).toEqual(
      numbered(60).map((index) => [`Together ${index}`, 'sent']),
    );
    const [published] = await world.sql<{ texts: number; calls: number }>(
      `select count(*)::int as texts, sum(calls)::int as calls from sandbox_posts where text like 'Together %'`,
    );
    expect(published).toEqual({ texts: 60, calls: 60 });
  });

  it('differ in their number of posts, and are stored whole', async () => {
    const slugs = numbered(12).map((index) => `many-${index}`);
    for (const slug of slugs) await connectSandbox(world, { slug });

    const answers = await Promise.all(
      [1, 12, 3, 5, 2].map((count) =>
        create({ text: `To ${count}`, connectionSlugs: slugs.slice(0, count), tags: [`to-${count}`] }),
      ),
    );

    const sent = answers.map(({ body }) => body.results.map(({ connectionSlug }: never) => connectionSlug));
    expect(sent).toEqual([1, 12, 3, 5, 2].map((count) => slugs.slice(0, count)));
    const counts = await Promise.all(
      [1, 12, 3, 5, 2].map(async (count) => (await world.rest(`GET /posts?tag=to-${count}`)).body.posts.length),
    );
    expect(counts).toEqual([1, 12, 3, 5, 2]);
  });

  it('fail alone', async () => {
    const [good, unknown, half, draft] = await Promise.all([
      create({ text: 'Good', connectionSlugs: [world.sandboxSlug] }),
      create({ text: 'Unknown', connectionSlugs: ['nowhere'] }),
      create({ text: 'Half', connectionSlugs: [world.sandboxSlug, 'nowhere'] }),
      create({ text: 'Draft', connectionSlugs: [world.sandboxSlug], isDraft: true }),
    ]);

    expect([good, unknown, half, draft].map(({ status }) => status)).toEqual([200, 400, 200, 200]);
    expect(unknown?.body).toMatchObject({
      error: 'invalid_connection',
      message: 'No connection of yours has the slug "nowhere". GET /connections lists them.',
    });
    const results = [good, half, draft].flatMap((answer) => answer?.body.results);
    expect(results.map(({ connectionSlug, status }) => [connectionSlug, status])).toEqual([
      [world.sandboxSlug, 'sent'],
      [world.sandboxSlug, 'sent'],
      ['nowhere', 'failed'],
      [world.sandboxSlug, 'draft'],
    ]);
  });

  it('reach only what each caller reaches, when all name the same slug', async () => {
    const profile = await world.profile('Club');
    const other = await makeAccount(world);
    const [own, club, foreign] = [
      await connectSandbox(world, { slug: 'same' }),
      await connectSandbox(world, { slug: 'same', profileId: profile.id }),
      await connectSandbox(world, { slug: 'same', key: other.key }),
    ];
    const scoped = (await world.key({ profileId: profile.id })).secret;
    const stranger = (await makeAccount(world)).key;

    const keys = [world.liveKey, scoped, other.key, stranger];
    const answers = await Promise.all(
      numbered(20).map((index) => create({ text: `Same ${index}`, connectionSlugs: ['same'] }, keys[index % 4])),
    );

    const reached = await Promise.all(
      answers.map(async ({ status, body }) => {
        if (status !== 200) return body.error;
        const [row] = await world.sql<{ connection_id: string }>('select connection_id from posts where id = $1', [
          body.results[0].postId,
        ]);
        return row?.connection_id;
      }),
    );
    expect(reached).toEqual(
      numbered(20).map((index) => [own.id, club.id, foreign.id, 'invalid_connection'][index % 4]),
    );
  });
});
