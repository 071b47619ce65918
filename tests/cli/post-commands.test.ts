/** `carillon post`, `thread`, and what follows for a post: lists, other times, cancelling, taking down, retrying. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { breakingFirst, holdSends } from '../harness/held-sends.ts';
import { startWorld } from '../harness/world.ts';
import { PNG, runCli, streamClock, temporaryFolder, type RunOptions } from './run-cli.ts';

const world = await startWorld();
const { slug } = await connectSandbox(world, { slug: 'bell' });
await connectSandbox(world, { slug: 'gong' });

const run = (args: string[], options?: RunOptions) => runCli(world, args, options);
const json = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout);
const draft = async (): Promise<string> => (await json('post', 'Later', '--to', slug, '--draft')).results[0].postId;
const show = async (id: string) => (await world.rest(`GET /posts/${id}`)).body.post;

describe('post', () => {
  it('publishes to each connection, and prints one line for each result', async () => {
    const { exitCode, stdout, stderr } = await run(['post', 'Ding', '--to', slug, '--to', 'gong']);

    const { posts } = (await world.rest('GET /posts?q=Ding')).body;
    expect(posts.map(({ status }: { status: string }) => status)).toEqual(['sent', 'sent']);
    expect(stdout.split('\n').map((line) => line.split('  ')[0])).toEqual(['bell', 'gong', '']);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('prints the body of the answer with --json, and nothing else', async () => {
    const { results } = await json('post', 'Dong', '--to', slug);

    const { id, url } = (await world.rest('GET /posts?q=Dong')).body.posts[0];
    expect(results).toEqual([
      {
        connectionSlug: slug,
        status: 'sent',
        postId: id,
        url,
        scheduledFor: null,
        threadCount: 0,
        hasFirstComment: false,
        error: null,
      },
    ]);
  });

  it('reads the text from standard input and from a file', async () => {
    const file = path.join(temporaryFolder(), 'text.txt');
    writeFileSync(file, 'From a file');

    const piped = await run(['post', '--to', slug, '--json'], { input: 'From a pipe\n' });
    const fromFile = await run(['post', '--to', slug, '--json', '--file', file]);

    const texts = [piped, fromFile].map(({ stdout }) => show(JSON.parse(stdout).results[0].postId));
    expect((await Promise.all(texts)).map(({ text }) => text)).toEqual(['From a pipe', 'From a file']);
  });

  it('uploads the images first, with their alt texts', async () => {
    const file = path.join(temporaryFolder(), 'bell.png');
    writeFileSync(file, PNG);

    const { stdout, stderr } = await run(['post', 'Look', '--to', slug, '--image', file, '--alt', 'A bell', '--json']);

    expect(stderr).toBe(`Uploading ${file} (1 of 1)\n`);
    const { media } = await show(JSON.parse(stdout).results[0].postId);
    expect(media.map(({ altText }: { altText: string }) => altText)).toEqual(['A bell']);
  });

  it('schedules at a wall time in a zone', async () => {
    const { results } = await json(
      'post',
      'Noon',
      '--to',
      slug,
      '--at',
      '2026-12-01T12:00:00',
      '--zone',
      'Europe/Paris',
    );

    expect(results[0]).toMatchObject({ status: 'scheduled', scheduledFor: '2026-12-01T11:00:00.000Z' });
  });

  it('posts once when the answer of the first try is lost', async () => {
    let calls = 0;
    const losing: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      calls += 1;
      if (calls === 1) throw new TypeError('fetch failed');
      return response;
    };

    const { exitCode, stderr } = await run(['post', 'Only once', '--to', slug], { io: { fetch: losing } });

    expect((await world.rest('GET /posts?q=once')).body.posts).toHaveLength(1);
    expect([exitCode, calls]).toEqual([0, 2]);
    expect(stderr).toContain('Trying again in 1 s.');
  });

  it('waits for the answer of a try that still runs, and posts once', async () => {
    const sends = holdSends(world);
    const waits: number[] = [];
    const sleep = async (ms: number) => {
      waits.push(ms);
      if (waits.length >= 5) sends.release();
    };
    const io = { fetch: breakingFirst(fetch, sends.begun), clock: { ...streamClock(world), sleep } };

    const { exitCode } = await run(['post', 'Still running', '--to', slug], { io });

    expect(exitCode).toBe(0);
    expect(waits.slice(0, 5)).toEqual([1_000, 2_000, 2_000, 2_000, 2_000]);
    expect((await world.rest('GET /posts?q=running')).body.posts).toHaveLength(1);
  });

  it('refuses a text in another encoding, instead of publishing other characters', async () => {
    const file = path.join(temporaryFolder(), 'latin1.txt');
    writeFileSync(file, Buffer.from('Caf\u00e9 ouvert', 'latin1'));

    const { exitCode, stderr } = await run(['post', '--to', slug, '--file', file]);

    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('latin1.txt is not in UTF-8.')]);
    expect((await world.rest('GET /posts?q=ouvert')).body.posts).toEqual([]);
  });

  it('publishes a thread', async () => {
    const { results } = await json('thread', 'One', 'Two', 'Three', '--to', slug);

    expect(results[0].threadCount).toBe(2);
    expect(await show(results[0].postId)).toMatchObject({ text: 'One', thread: ['Two', 'Three'] });
  });

  it.each<[string, string[], number, RegExp]>([
    ['no connection', ['post', 'x'], 2, /Name a connection with --to/],
    ['no text', ['post', '--to', 'bell'], 2, /Give a text, --file/],
    [
      'two times',
      ['post', 'x', '--to', 'bell', '--queue', '--at', '2026-12-01T12:00:00Z'],
      2,
      /one of --at and --queue/,
    ],
    [
      'a zone without a time',
      ['post', 'x', '--to', 'bell', '--zone', 'Europe/Paris'],
      2,
      /--zone is read with --at only/,
    ],
    ['an alt text too many', ['post', 'x', '--to', 'bell', '--alt', 'y'], 2, /1 alt texts for 0 images/],
    ['an image that is no image', ['post', 'x', '--to', 'bell', '--image', 'x.txt'], 2, /x.txt: expected a .png/],
    [
      'an image that does not exist',
      ['post', 'x', '--to', 'bell', '--image', '/none.png'],
      1,
      /\/none.png cannot be read/,
    ],
    ['a misspelled option', ['post', 'x', '--too', 'bell'], 2, /unknown option '--too'/],
    ['a connection that does not exist', ['post', 'x', '--to', 'nowhere'], 3, /nowhere[^]*GET \/connections/],
    ['a tag that the server refuses', ['post', 'x', '--to', 'bell', '--tag', 'A B'], 3, /tags/],
  ])('ends with a message and its exit code: %s', async (_case, args, code, message) => {
    const { exitCode, stdout, stderr } = await run(args);

    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(message);
  });

  it('tells a post that failed on some connections from one that failed on all', async () => {
    const id = (await json('connections')).connections.find((one: { slug: string }) => one.slug === slug).id;
    await world.rest(`PATCH /connections/${id}/queue`, { body: { slots: [{ weekday: 1, time: '09:00' }] } });

    const all = await run(['post', '[[reject]]', '--to', slug, '--to', 'gong']);
    const some = await run(['post', 'Weekly', '--to', slug, '--to', 'gong', '--queue']);
    const unavailable = await run(['post', '[[unavailable]]', '--to', slug]);

    expect([all.exitCode, some.exitCode, unavailable.exitCode]).toEqual([3, 8, 7]);
    expect(some.stdout).toMatch(
      /^bell  scheduled  2026-11-23T09:00:00.000Z  post \S+\ngong  failed  .+ \(queue_empty\)/,
    );
    expect((await run(['queue', slug])).stdout).toMatch(
      /^SLOT +ID +IMAGES +TEXT\n2026-11-23T09:00:00.000Z  \S+ +0 +Weekly\n$/,
    );
  });
});

describe('a post that may have gone out', () => {
  const hint = 'The post may have gone out. Look before you run the command again: carillon posts list';
  const busy = { error: 'server_busy', message: 'Full.', hint: 'Wait.', retryable: true };
  const answered = async () => Response.json(busy, { status: 503 });
  const lost: typeof fetch = async (url, init) => {
    await fetch(url, init);
    throw new TypeError('fetch failed');
  };
  const broken: typeof fetch = async () => {
    throw new TypeError('fetch failed');
  };
  const refused: typeof fetch = async () => {
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    });
  };
  const refusal = (status: number, body: object) => async () => Response.json(body, { status });
  const slow = refusal(408, { error: 'invalid_request', message: 'The request did not arrive as a whole in time.' });
  const invalid = refusal(400, { error: 'invalid_request', message: 'No.', hint: 'Change it.' });
  const otherKey = refusal(409, { error: 'idempotency_key_conflict', message: 'Used.', retryable: false });
  const ofProxy = refusal(400, { error: 'bad gateway request' });
  const pageOfProxy: typeof fetch = async () => new Response('<h1>Forbidden words</h1>', { status: 422 });
  const inTurn = (...tries: (typeof fetch)[]) => {
    const left = [...tries];
    const next: typeof fetch = async (url, init) => (left.shift() ?? fetch)(url, init);
    return { io: { fetch: next } };
  };

  it('ends with 9 when its outcome is unknown, also when it is sent again by force', async () => {
    const first = await run(['post', '[[vanish]] once', '--to', slug]);
    const [{ id }] = (await json('posts', 'list', '--search', 'vanish once')).posts;
    const forced = await run(['retry', id, '--force']);

    expect([first.exitCode, first.stdout]).toEqual([9, expect.stringContaining('(outcome_unknown)')]);
    expect([forced.exitCode, forced.stdout]).toEqual([9, expect.stringContaining('(outcome_unknown)')]);
  });

  it('ends with 9 when another connection of the post was not available', async () => {
    const oneUnavailable: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      return new Response((await answer.text()).replace('outcome_unknown', 'platform_unavailable'), answer);
    };

    const { exitCode, stdout } = await run(['post', '[[vanish]] twice', '--to', slug, '--to', 'gong'], {
      io: { fetch: oneUnavailable },
    });

    expect([exitCode, stdout]).toEqual([9, expect.stringMatching(/\(platform_unavailable\)[^]*\(outcome_unknown\)/)]);
  });

  it.each<[string, (typeof fetch)[], number, string]>([
    ['no answer', [lost, lost, lost], 9, hint],
    ['no answer, then no work taken on', [lost, answered, answered], 9, hint],
    ['no answer, then no connection', [lost, refused, refused], 9, hint],
    ['no work taken on', [answered, answered, answered], 7, 'Wait.'],
    ['no answer, then a request that did not arrive in time', [lost, slow, slow], 9, hint],
    ['no answer, then a refusal of a proxy', [lost, ofProxy], 9, hint],
    ['no answer, then a page of a proxy', [lost, pageOfProxy, pageOfProxy], 9, hint],
    ['no answer, then a key that another request has used', [lost, otherKey], 9, hint],
    ['no answer, then a refusal of the service', [broken, invalid], 3, 'Change it.'],
    ['no connection', [refused, refused, refused], 7, 'Check the address with: carillon whoami'],
  ])('ends with the exit code that all tries together allow: %s', async (name, tries, code, expected) => {
    const { exitCode, stdout } = await run(['post', name, '--to', slug, '--json'], inTurn(...tries));

    expect([exitCode, JSON.parse(stdout).hint]).toEqual([code, expected]);
  });

  it('ends with 9 when it is sent again by force and the answer is lost, and with 7 without force', async () => {
    const [{ postId }] = (await json('post', '[[reject]] lost', '--to', slug)).results;

    const forced = await run(['retry', postId, '--force'], inTurn(lost));
    const plain = await run(['retry', postId], inTurn(lost));

    expect([forced.exitCode, forced.stderr]).toEqual([9, expect.stringContaining(hint)]);
    expect(plain.exitCode).toBe(7);
  });
});

describe('a post', () => {
  it('is listed, and shown whole', async () => {
    const id = await draft();

    const listed = await run(['drafts', 'list']);
    const shown = await run(['posts', 'show', id]);

    expect(listed.stdout).toMatch(new RegExp(`^ID +STATUS +CONNECTION +TIME +TEXT\n${id}  draft +bell `));
    expect(shown.stdout).toMatch(
      new RegExp(`^id +${id}\nstatus +draft\nconnection +bell \\(sandbox\\)\n[^]*\n\nLater\n$`),
    );
    expect(await json('posts', 'list', '--limit', '1')).toEqual((await world.rest('GET /posts?limit=1')).body);
  });

  it('gets a time, another one, and is cancelled', async () => {
    const id = await draft();

    await run(['drafts', 'publish', id, '--at', '2026-12-01T12:00:00Z']);
    const { result } = await json('schedule', id, '--at', '2026-12-02T12:00:00Z');
    const wrong = await run(['take-down', id]);
    const cancelled = await run(['cancel', id]);

    expect(result).toMatchObject({ status: 'scheduled', scheduledFor: '2026-12-02T12:00:00.000Z' });
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      3,
      `The post is scheduled, so it is not on a platform.\nTo cancel a waiting one: carillon cancel ${id}\n`,
    ]);
    expect([cancelled.exitCode, cancelled.stdout]).toEqual([0, `The post ${id} is cancelled.\n`]);
  });

  it('is taken down when it is sent, and cancel refuses that', async () => {
    const [{ postId }] = (await json('post', 'Up', '--to', slug)).results;

    const refused = await run(['cancel', postId]);
    const down = await run(['take-down', postId]);

    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining(`carillon take-down ${postId}`)]);
    expect([down.exitCode, (await show(postId)).status]).toEqual([0, 'deleted']);
  });

  it('stays up when it is sent while cancel runs', async () => {
    const at = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const [{ postId }] = (await json('post', 'Just out', '--to', slug, '--at', at)).results;
    let calls = 0;
    const sendingMeanwhile: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      calls += 1;
      if (calls === 1) await world.advance(60_000);
      return response;
    };

    const cancelled = await run(['cancel', postId], { io: { fetch: sendingMeanwhile } });

    expect(cancelled).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: `The post is sent, so it cannot be cancelled.\nTo delete it from sandbox: carillon take-down ${postId}\n`,
    });
    expect((await show(postId)).status).toBe('sent');
  });

  it('stays a scheduled post when its draft is published while cancel runs', async () => {
    const id = await draft();
    let calls = 0;
    const publishingMeanwhile: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      calls += 1;
      if (calls === 1)
        await world.rest(`POST /posts/${id}/publish`, { body: { scheduledFor: '2026-12-01T12:00:00Z' } });
      return response;
    };

    const cancelled = await run(['cancel', id], { io: { fetch: publishingMeanwhile } });

    expect([cancelled.exitCode, cancelled.stdout]).toEqual([3, '']);
    expect(cancelled.stderr).toMatch(/^The post is scheduled, not draft, so it stays as it is\.\n/);
    expect((await show(id)).status).toBe('scheduled');
  });

  it('is not found: exit code 5, and with --json the error body', async () => {
    const id = '00000000-0000-7000-8000-000000000000';

    const { exitCode, stdout, stderr } = await run(['posts', 'show', id, '--json']);

    expect([exitCode, JSON.parse(stdout).error]).toEqual([5, 'not_found']);
    const { message, hint } = JSON.parse(stdout);
    expect(stderr).toBe(`${message}\n${hint}\n`);
  });

  it('is sent again after a failure', async () => {
    const [{ postId }] = (await json('post', '[[reject]] again', '--to', slug)).results;

    const again = await run(['retry', postId, '--json']);

    expect([again.exitCode, JSON.parse(again.stdout).result]).toMatchObject([3, { status: 'failed', postId }]);
  });

  it('has metrics', async () => {
    const [{ postId }] = (await json('post', 'Count', '--to', slug)).results;

    expect((await run(['metrics', postId])).stdout).toBe('No metrics yet. The first are read an hour after sending.\n');
    expect(await json('metrics', postId)).toEqual({ latest: null, history: [] });
  });
});
