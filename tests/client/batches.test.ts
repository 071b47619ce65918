/** Calls of one turn share a request only when the service takes it as one. */
import { expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';
import { scriptedFetch } from './scripted-fetch.ts';

const world = await startWorld();
await connectSandbox(world, { slug: 'bell' });

it('imports that start at once are requests of their own, because each may have a body of 1 MiB', async () => {
  const { runtime, requests } = scriptedFetch([]);
  const client = createClient({ url: world.url, apiKey: world.liveKey, ...runtime });
  const fileOf = (letter: string) =>
    JSON.stringify(Array.from({ length: 400 }, (_, row) => ({ text: `${letter}${row}`.padEnd(1_500, letter) })));
  const start = (letter: string) =>
    client.imports.start.mutate({
      format: 'json',
      content: fileOf(letter),
      dryRun: true,
      untimed: 'draft',
      connectionSlugs: ['bell'],
    });

  const started = await Promise.all([start('a'), start('b')]);

  expect(started.map(({ import: one }) => [one.rows, one.status])).toEqual([
    [400, 'running'],
    [400, 'running'],
  ]);
  expect(requests).toEqual(['POST /trpc/imports.start', 'POST /trpc/imports.start']);
});

it('changes that are too large together for one request are requests of their own, and small ones still share one', async () => {
  const { runtime, requests } = scriptedFetch([]);
  const client = createClient({ url: world.url, apiKey: world.liveKey, ...runtime });
  const draftOf = (note: string) =>
    client.posts.create.mutate({ text: note, connectionSlugs: ['bell'], isDraft: true, thread: [] });
  // Two bytes each in UTF-8: 20 of them have more than 1 MiB, and fewer characters.
  const long = 'ä'.repeat(27_000);

  const answers = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => draftOf(long)),
    draftOf('one'),
    draftOf('two'),
  ]);

  // The sandbox refuses a text of this length: the service has read the call.
  const statusOf = (answer: (typeof answers)[number]) =>
    answer.status === 'rejected' ? (answer.reason as { data?: { httpStatus?: number } }).data?.httpStatus : 200;
  expect(new Set(answers.map(statusOf))).not.toContain(413);
  expect(new Set(answers.map(statusOf))).not.toContain(undefined);
  expect(requests).toHaveLength(21);
});

it('a search of the longest text that the service takes in any script is sent alone, and short reads share a request', async () => {
  const { runtime, requests } = scriptedFetch([]);
  const client = createClient({ url: world.url, apiKey: world.liveKey, ...runtime });
  const search = (q: string) => client.posts.list.query({ q });

  const pages = await Promise.all([search('鐘'.repeat(1_000)), search('a'), search('b')]);

  expect(pages.map(({ posts }) => posts)).toEqual([[], [], []]);
  expect(requests.toSorted()).toEqual(['GET /trpc/posts.list', 'GET /trpc/posts.list,posts.list']);
});

it('reads of any length reach the service: each fits in a batch or is sent alone', async () => {
  const { runtime, requests } = scriptedFetch([]);
  const client = createClient({ url: world.url, apiKey: world.liveKey, ...runtime });
  // The addresses of these go from below the limit of a batch to above it, in steps of one character.
  const words = (length: number) => '鐘'.repeat(655) + 'a'.repeat(length);

  const pages = await Promise.all(
    Array.from({ length: 30 }, (_, length) => client.posts.list.query({ q: words(length) })),
  );

  expect(pages.filter(({ posts }) => posts.length > 0)).toEqual([]);
  expect(requests).toHaveLength(30);
});
