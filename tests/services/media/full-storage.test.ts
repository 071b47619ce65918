/** Storage that is full or does not answer: requests say so, nothing is sent twice, and work goes on once it is back. */
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { eventsAbout, makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const MINUTE_MS = 60_000;
const CREATE = 'POST /api/v1/statuses';

const world = await startWorld();
const mastodon = await startFakeMastodon({ now: () => world.clock.now() });
afterAll(() => mastodon.close());
mastodon.addAccount('alice', 'token');
const credentials = { instanceUrl: mastodon.url, accessToken: 'token' };
await world.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'toots', credentials } });

let before = 0;
const created = () => (mastodon.calls[CREATE] ?? 0) - before;
const inMinutes = (minutes: number) => new Date(world.clock.now().getTime() + minutes * MINUTE_MS).toISOString();
const post = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post;

/** Writes to this table fail as on a full disk, until the test ends. */
async function fill(table: string): Promise<() => Promise<unknown>> {
  await world.sql(`create or replace function no_space() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
  await world.sql(
    `create or replace trigger no_space before insert on ${table} for each row execute function no_space()`,
  );
  return () => world.sql(`drop trigger if exists no_space on ${table}`);
}

beforeEach(() => {
  before = mastodon.calls[CREATE] ?? 0;
});
afterEach(async () => {
  for (const table of ['posts', 'attempts', 'events']) await world.sql(`drop trigger if exists no_space on ${table}`);
});

it('a post whose image cannot be read is sent later, with the reason in its attempt', async () => {
  const bytes = await plain(20, 20).png().toBuffer();
  const uploaded = await world.rest('POST /media', { raw: bytes, headers: { 'content-type': 'image/png' } });
  const media = [{ id: uploaded.body.media.id }];
  const { postId } = await makePost(world, 'toots', { scheduledFor: inMinutes(1), media });
  world.media.faults.push('get');

  await world.advance(MINUTE_MS);

  expect([(await post(postId)).status, created()]).toEqual(['scheduled', 0]);
  const { body } = await world.rest(`GET /posts/${postId}/attempts`);
  expect(body.attempts).toMatchObject([
    {
      state: 'unavailable',
      error: {
        code: 'platform_unavailable',
        message: 'Image 1 could not be read from the storage of this install; nothing was posted.',
      },
    },
  ]);
  await world.advance(MINUTE_MS);
  expect([(await post(postId)).status, created()]).toEqual(['sent', 1]);
  expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.rescheduled', 'post.sent']);
});

it('a request that finds the disk of the database full sends nothing, says so, and works again without a restart', async () => {
  const empty = await fill('posts');
  const request = { body: { text: 'Hello', connectionSlugs: ['toots'] } };

  const { status, body } = await world.rest('POST /posts', request);

  expect([status, body]).toEqual([
    503,
    {
      error: 'storage_unavailable',
      message:
        'The storage of this install is full or does not answer. If this request was sending a post, the post may have been published.',
      hint: expect.stringContaining('Check GET /posts'),
      docs: expect.stringMatching(/#storage_unavailable$/),
      retryable: true,
      req_id: expect.any(String),
    },
  ]);
  expect(created()).toBe(0);
  expect(JSON.parse(world.logged.at(-1) ?? '')).toMatchObject({ msg: 'a request failed', reqId: body.req_id });
  await empty();
  expect((await world.rest('POST /posts', request)).body.results).toMatchObject([{ status: 'sent' }]);
});

it('a worker that cannot write the ledger calls no platform, and sends the post once it can', async () => {
  const { postId } = await makePost(world, 'toots', { scheduledFor: inMinutes(1) });
  const empty = await fill('attempts');
  await world.advance(MINUTE_MS);
  expect([(await post(postId)).status, created()]).toEqual(['scheduled', 0]);

  await empty();
  await world.runDue();

  expect([(await post(postId)).status, created()]).toEqual(['sent', 1]);
});

it('a send whose outcome cannot be stored is found on the platform later, and not repeated', async () => {
  const { postId } = await makePost(world, 'toots', { text: 'Once', scheduledFor: inMinutes(1) });
  const empty = await fill('events');
  await world.advance(MINUTE_MS);
  expect([(await post(postId)).status, created()]).toEqual(['processing', 1]);

  await empty();
  await world.advance(2 * MINUTE_MS);

  expect([(await post(postId)).status, created()]).toEqual(['sent', 1]);
  expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent']);
});
