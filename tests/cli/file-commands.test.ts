/** `carillon import`, `export`, `slots`, `feeds`, `calendars` and the webhook commands that change something. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_KINDS } from '../../cli/export-command.ts';
import { EXPORT_KINDS } from '../../services/exports/export-kinds.ts';
import { connectSandbox } from '../harness/connections.ts';
import { IMAGE } from '../harness/tenant.ts';
import { startWorld } from '../harness/world.ts';
import { runCli, temporaryFolder, type RunOptions } from './run-cli.ts';

const world = await startWorld();
await connectSandbox(world, { slug: 'bell' });
const run = (args: string[], options?: RunOptions) => runCli(world, args, options);

/** Runs a command that waits for a worker. */
const whileWorking = (args: string[]) => run(args, { onError: () => void world.runDue() });

function fileOf(name: string, content: string): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

/** A command whose first request to an address is one too many. */
function limitedOnce(isLimited: (url: string) => boolean, retryAfter: string) {
  const waits: number[] = [];
  let isFirst = true;
  const limited: typeof fetch = (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!isFirst || !isLimited(url)) return fetch(input, init);
    isFirst = false;
    const body = { error: 'too many requests', message: 'Too many requests.', retryable: true };
    return Promise.resolve(Response.json(body, { status: 429, headers: { 'retry-after': retryAfter } }));
  };
  const { clock } = world.context;
  const sleep = (ms: number) => Promise.resolve(void waits.push(ms));
  const waiting = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    deadline: clock.deadline.bind(clock),
    sleep,
  };
  return { waits, io: { fetch: limited, clock: waiting } };
}

describe('import', () => {
  it('tries a file row by row, and creates nothing', async () => {
    const file = fileOf('posts.csv', `text,scheduledFor\nOne,\nTwo,yesterday\n${'n'.repeat(501)},\n`);

    const { exitCode, stdout } = await whileWorking(['import', file, '--to', 'bell', '--try']);

    expect(exitCode).toBe(8);
    expect(stdout).toMatch(/^ROW +RESULT +CONNECTION +TIME +PROBLEM\n1 +valid +bell/);
    expect(stdout).toMatch(/\n2 +failed .*\n3 +failed +bell .*501/);
    expect(stdout).toMatch(/\ndone: 1 valid, 2 failed\n$/);
    expect((await world.rest('GET /posts')).body.posts).toEqual([]);
  });

  it('creates the posts of a file once, however often it is run', async () => {
    const file = fileOf('posts.json', JSON.stringify([{ text: 'Imported', connectionSlugs: ['bell'] }]));

    const first = await whileWorking(['import', file]);
    const again = await whileWorking(['import', file, '--json']);

    expect([first.exitCode, first.stdout]).toEqual([0, 'done: 1 created\n']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      import: { status: 'done', name: 'posts.json' },
      rows: [{ row: 1 }],
    });
    expect((await world.rest('GET /posts?q=Imported')).body.posts).toHaveLength(1);
    expect((await run(['imports'])).stdout).toMatch(/^ID +STATE +CREATED +STARTED +NAME\n.*done +1 of 1 .*posts\.json/);
  });

  it.each([
    [
      'a connection of a row is refused',
      [{ text: 'In part', connectionSlugs: ['bell', 'unknown'] }],
      /^ROW +RESULT +CONNECTION +TIME +PROBLEM\n1 +failed +unknown .*"unknown".*\ndone: 1 created\n$/,
    ],
    [
      'the platform refuses a post',
      [
        { text: 'Sent', connectionSlugs: ['bell'] },
        { text: 'Refused [[reject]]', connectionSlugs: ['bell'] },
      ],
      /^ROW +RESULT +CONNECTION +TIME +PROBLEM\n2 +failed +bell .*\ndone: 2 created\n$/,
    ],
  ])('prints what failed, and ends with 8, when %s', async (_what, rows, printed) => {
    const args = ['import', fileOf('posts.json', JSON.stringify(rows)), '--untimed', 'now'];

    const { exitCode, stdout } = await whileWorking(args);
    const again = await whileWorking([...args, '--json']);

    expect([exitCode, stdout]).toEqual([8, expect.stringMatching(printed)]);
    expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([
      8,
      { rows: rows.map(() => ({ status: 'created' })) },
    ]);
  });

  it('goes on without the command when that is ended, and the same command follows it', async () => {
    const file = fileOf('posts.csv', 'text,connections\nFollowed,bell\n');
    const stopping = new AbortController();
    const shown: string[] = [];
    const onError = (text: string) => {
      shown.push(text);
      if (text.includes('0 of 1 rows')) stopping.abort();
    };

    const ended = await run(['import', file], { isTTY: true, onError, io: { signal: stopping.signal } });
    const followed = await whileWorking(['import', file]);

    expect([ended.exitCode, ended.stderr]).toEqual([
      1,
      expect.stringContaining('The import goes on without this command.'),
    ]);
    expect(shown).toContain(`\r\u001B[K[${'-'.repeat(24)}] 0 of 1 rows`);
    expect([followed.exitCode, followed.stdout]).toEqual([0, 'done: 1 created\n']);
  });

  it('refuses a file in another encoding before anything is sent', async () => {
    const file = path.join(temporaryFolder(), 'latin1.csv');
    writeFileSync(file, Buffer.from('text\nCaf\u00E9\n', 'latin1'));

    expect(await run(['import', file])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is not in UTF-8.'),
    });
  });

  it.each([
    ['posts.txt', 2, /expected a \.csv, \.json, \.ndjson or \.jsonl file/],
    ['missing.csv', 1, /cannot be read/],
  ])('%s is refused before anything is sent', async (name, code, message) => {
    const { exitCode, stderr } = await run(['import', path.join(temporaryFolder(), name)]);

    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)]);
  });
});

describe('export', () => {
  it('prints a kind, and writes it to a file that only the user can read', async () => {
    await world.rest('POST /posts', { body: { text: 'Exported', connectionSlugs: ['bell'], isDraft: true } });
    const file = path.join(temporaryFolder(), 'posts.csv');

    const printed = await run(['export', 'posts']);
    const written = await run(['export', 'posts', file, '--format', 'csv']);

    expect(
      printed.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { text: string }),
    ).toContainEqual(expect.objectContaining({ text: 'Exported' }));
    expect([written.exitCode, written.stdout]).toEqual([0, `${file}\n`]);
    expect(readFileSync(file, 'utf8')).toContain('Exported');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('writes an archive, which needs a file', async () => {
    const file = path.join(temporaryFolder(), 'all.zip');

    expect((await run(['export', 'archive'])).exitCode).toBe(2);
    expect((await run(['export', 'archive', file])).exitCode).toBe(0);
    expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK');
  });

  it('leaves no file when the service refuses, or the answer is cut short', async () => {
    const file = path.join(temporaryFolder(), 'posts.ndjson');
    const cut = new ReadableStream({
      pull: (controller) => controller.error(new Error('the connection was lost')),
    });

    const refused = await run(['export', 'bells', file]);
    const lost = await run(['export', 'posts', file], { io: { fetch: async () => new Response(cut) } });

    expect([refused.exitCode, lost.exitCode, lost.stderr]).toEqual([5, 7, expect.stringContaining('completely')]);
    expect([file, `${file}.part`].map((name) => existsSync(name))).toEqual([false, false]);
  });

  it('tells a file that cannot be written from an answer that broke off', async () => {
    const file = path.join(temporaryFolder(), 'no-folder', 'posts.ndjson');

    const { exitCode, stderr } = await run(['export', 'posts', file]);

    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/could not be written completely \(ENOENT/)]);
  });
});

describe('export of everything', () => {
  it('prints whole rows only when a stream breaks off, and says how to go on', async () => {
    for (const text of ['One', 'Two']) {
      await world.rest('POST /posts', { body: { text, connectionSlugs: ['bell'], isDraft: true } });
    }
    const breaking: typeof fetch = async (url, init) => {
      const text = await (await fetch(url, init)).text();
      async function* part() {
        yield new TextEncoder().encode(text.slice(0, text.indexOf('\n') + 20));
        throw new TypeError('terminated');
      }
      return new Response(ReadableStream.from(part()));
    };

    const { exitCode, stdout, stderr } = await run(['export', 'posts'], { io: { fetch: breaking } });

    const [line = '', ...more] = stdout.split('\n');
    const { id } = JSON.parse(line) as { id: string };
    expect([exitCode, more, stderr]).toEqual([
      7,
      [''],
      expect.stringContaining(`carillon export posts --after ${id}\n`),
    ]);
    expect((await run(['export', 'posts', '--after', id])).stdout).not.toContain(id);
  });

  it('prints whole rows of CSV only, also when the text of the next one has line breaks', async () => {
    const bytes = new TextEncoder().encode('id,text\r\n1,"A ""first""\r\nrow"\r\n2,"Broken ""off\r\nin its text');
    async function* part() {
      // One byte at a time: a row ends wherever the network cuts it.
      for (const byte of bytes) yield Uint8Array.of(byte);
      throw new TypeError('terminated');
    }
    const breaking = async () => new Response(ReadableStream.from(part()));

    const { exitCode, stdout } = await run(['export', 'posts', '--format', 'csv'], { io: { fetch: breaking } });

    expect([exitCode, stdout]).toEqual([7, 'id,text\r\n1,"A ""first""\r\nrow"\r\n']);
  });

  it('says that no server answers, and not that an export broke off which never began', async () => {
    const { exitCode, stderr } = await run(['export', 'posts'], { env: { CARILLON_URL: 'http://127.0.0.1:9' } });

    expect([exitCode, stderr]).toEqual([7, expect.stringContaining('No answer from http://127.0.0.1:9')]);
  });

  it.each([
    ['metrics', 'postId'],
    ['queues', 'connectionId'],
  ])('of %s says how to go on only by what its rows have', async (kind, name) => {
    const row = `${JSON.stringify({ [name]: 'f0e7d6c5-0000-4000-8000-000000000000' })}\n`;
    async function* part() {
      yield new TextEncoder().encode(row);
      throw new TypeError('terminated');
    }
    const breaking = async () => new Response(ReadableStream.from(part()));

    const { exitCode, stdout, stderr } = await run(['export', kind], { io: { fetch: breaking } });

    const hint = kind === 'queues' ? ' --after f0e7d6c5-0000-4000-8000-000000000000\n' : 'incomplete.\n';
    expect([exitCode, stdout, stderr]).toEqual([7, row, expect.stringContaining(hint)]);
    expect(stderr).not.toContain('undefined');
  });

  it('--all fetches again what broke off', async () => {
    const folder = path.join(temporaryFolder(), 'data');
    const left = ['posts', 'media'];
    const breakingOnce: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      const name = left.find((kind) => String(url).includes(`/exports/${kind}?`));
      if (name === undefined) return answer;
      left.splice(left.indexOf(name), 1);
      async function* part() {
        yield new Uint8Array(await answer.arrayBuffer()).subarray(0, 20);
        throw new TypeError('terminated');
      }
      return new Response(ReadableStream.from(part()), answer);
    };

    const { exitCode, stderr } = await run(['export', '--all', folder], { io: { fetch: breakingOnce } });

    expect([exitCode, left]).toEqual([0, []]);
    expect(stderr.match(/could not be written completely \(terminated\)\. Trying again in 1 s\./g)).toHaveLength(2);
    const posts = await run(['export', 'posts']);
    expect(readFileSync(path.join(folder, 'posts.ndjson'), 'utf8')).toBe(posts.stdout);
  });

  it('--all writes each kind and the images, and a second run fetches no image again', async () => {
    const headers = { 'content-type': 'image/png' };
    const { media } = (await world.rest('POST /media', { raw: IMAGE, headers })).body;
    const folder = path.join(temporaryFolder(), 'data');
    const asked: string[] = [];
    const watching: typeof fetch = (url, init) => {
      asked.push(url instanceof Request ? url.url : url.toString());
      return fetch(url, init);
    };

    const first = await run(['export', '--all', folder]);
    const again = await run(['export', '--all', folder], { io: { fetch: watching } });

    expect([first.exitCode, again.exitCode]).toEqual([0, 0]);
    expect(readdirSync(folder).toSorted()).toEqual([...ALL_KINDS.map((kind) => `${kind}.ndjson`), 'images'].toSorted());
    expect(readFileSync(path.join(folder, 'images', `${media.id}.png`))).toEqual(IMAGE);
    expect(asked.filter((url) => url.endsWith('/raw'))).toEqual([]);
    expect([...ALL_KINDS]).toEqual(Object.keys(EXPORT_KINDS));
  });

  it('--all waits out the limit of requests, as long as the answer asks', async () => {
    const { media } = (await world.rest('POST /media', { raw: IMAGE, headers: { 'content-type': 'image/png' } })).body;
    const folder = path.join(temporaryFolder(), 'data');
    const { waits, io } = limitedOnce((url) => url.endsWith(`/${media.id}/raw`), '41');

    const { exitCode, stderr } = await run(['export', '--all', folder], { io });

    expect([exitCode, waits]).toEqual([0, [41_000]]);
    expect(stderr).toContain('Trying again in 41 s.');
    expect(readFileSync(path.join(folder, 'images', `${media.id}.png`))).toEqual(IMAGE);
  });

  it('--all leaves out an image whose bytes are damaged, and says so', async () => {
    const headers = { 'content-type': 'image/png' };
    const upload = async () => (await world.rest('POST /media', { raw: IMAGE, headers })).body.media.id as string;
    const [whole, damaged] = [await upload(), await upload()];
    world.media.stored.set(damaged, IMAGE.subarray(1));
    const folder = temporaryFolder();

    const { exitCode, stderr } = await run(
      ['export', '--all', folder],
      limitedOnce(() => false, ''),
    );

    await world.rest(`DELETE /media/${damaged}`);
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining(`The image ${damaged} was left out: `)]);
    expect([whole, damaged].map((id) => existsSync(path.join(folder, 'images', `${id}.png`)))).toEqual([true, false]);
  });

  it('--all passes over an image that is deleted meanwhile', async () => {
    const headers = { 'content-type': 'image/png' };
    const [kept, deleted] = [
      (await world.rest('POST /media', { raw: IMAGE, headers })).body.media.id,
      (await world.rest('POST /media', { raw: IMAGE, headers })).body.media.id,
    ];
    const folder = temporaryFolder();
    const deleting: typeof fetch = async (url, init) => {
      if (String(url).endsWith(`/${deleted}/raw`)) await world.rest(`DELETE /media/${deleted}`);
      return fetch(url, init);
    };

    const { exitCode } = await run(['export', '--all', folder], { io: { fetch: deleting } });

    expect(exitCode).toBe(0);
    expect([kept, deleted].map((id) => existsSync(path.join(folder, 'images', `${id}.png`)))).toEqual([true, false]);
  });

  it('--all takes a refusal of something else than the right to read for a failure', async () => {
    const busy = { error: 'limit_exceeded', message: 'The account reads 2 exports at this time; the limit is 2.' };
    const answerBusy: typeof fetch = (url, init) =>
      String(url instanceof Request ? url.url : url).includes('/exports/posts')
        ? Promise.resolve(Response.json(busy, { status: 403 }))
        : fetch(url, init);

    const { exitCode, stderr } = await run(['export', '--all', temporaryFolder()], { io: { fetch: answerBusy } });

    expect([exitCode, stderr]).toEqual([6, expect.stringContaining(busy.message)]);
  });

  it('--all leaves out what the key may not read, and says so', async () => {
    const { id: profileId } = await world.profile();
    const { secret } = await world.key({ profileId });
    const folder = temporaryFolder();

    const { exitCode, stderr } = await run(['export', '--all', folder], { env: { CARILLON_KEY: secret } });

    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('audit was left out: ')]);
    expect(['audit', 'posts'].map((kind) => existsSync(path.join(folder, `${kind}.ndjson`)))).toEqual([false, true]);
  });
});

describe('slots', () => {
  it('are not changed when connections of two profiles have the slug', async () => {
    const [one, two] = [await world.profile('One'), await world.profile('Two')];
    const first = await connectSandbox(world, { slug: 'shop', profileId: one.id });
    const second = await connectSandbox(world, { slug: 'shop', profileId: two.id });

    const { exitCode, stderr } = await run(['slots', 'shop', 'mon-09:00']);
    const byId = await run(['slots', first.id, 'mon-09:00']);

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('2 connections have the slug "shop".')]);
    expect(byId.stdout).toMatch(/^mon-09:00 /);
    expect((await world.rest(`GET /connections/${second.id}`)).body.connection.queueSlots).toEqual([]);
  });

  it('are set, shown, held back and removed', async () => {
    const set = await run(['slots', 'bell', 'mon-09:00', 'THU-18:30', '--zone', 'Europe/Paris']);
    const paused = await run(['slots', 'bell', '--pause']);
    const resumed = await run(['slots', 'bell', '--resume', '--clear']);

    expect(set.stdout).toMatch(/^mon-09:00 thu-18:30 \(Europe\/Paris\), next 2026-11-23T08:00:00\.000Z\n$/);
    expect(paused.stdout).toBe('mon-09:00 thu-18:30 (Europe/Paris), paused\n');
    expect(resumed.stdout).toBe('no slots (Europe/Paris), next none\n');
  });

  it.each([
    [['slots', 'bell', 'monday'], 2, /"monday" is no slot/],
    [['slots', 'bell', '--pause', '--resume'], 2, /either --pause or --resume/],
    [['slots', 'gong'], 5, /No connection has the slug or id "gong"/],
  ])('%j is refused', async (args, code, message) => {
    const { exitCode, stderr } = await run(args);

    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)]);
  });
});

it('feeds are added, listed, polled and deleted', async () => {
  const added = await run(['feeds', 'add', 'https://blog.example/feed.xml', '--to', 'bell', '--queue']);
  const id = added.stdout.trim();

  expect((await run(['feeds', 'list'])).stdout).toMatch(
    new RegExp(`\n${id} +on +bell +https://blog\\.example/feed\\.xml`),
  );
  expect((await run(['feeds', 'poll', id])).stdout).toMatch(/^next look at 2026-11-21T/);
  expect((await run(['feeds', 'delete', id])).stdout).toBe(`${id} ended\n`);
  expect((await run(['feeds', 'poll', id])).exitCode).toBe(5);
});

it('calendars are created, renewed and revoked, each address shown once', async () => {
  const created = await run(['calendars', 'create', 'Team']);
  const { calendars } = (await world.rest('GET /calendars')).body;
  const { id } = calendars[0];
  const renewed = await run(['calendars', 'renew', id]);

  expect([created.stdout, renewed.stdout]).toEqual([
    expect.stringMatching(/\.ics\n$/),
    expect.stringMatching(/\.ics\n$/),
  ]);
  expect(renewed.stdout).not.toBe(created.stdout);
  expect((await run(['calendars', 'list'])).stdout).toMatch(new RegExp(`\n${id} +Team `));
  expect((await run(['calendars', 'revoke', id])).stdout).toBe(`${id} ended\n`);
});

describe('webhooks', () => {
  it('are created and rotated with secrets in new files that only the user can read', async () => {
    const folder = temporaryFolder();
    const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];

    const created = await run([
      'webhooks',
      'create',
      'http://127.0.0.1:9/a',
      '--event',
      'post.failed',
      '--secret-file',
      first,
    ]);
    const [id = ''] = created.stdout.split(',');
    const rotated = await run(['webhooks', 'rotate', id, '--secret-file', second, '--json']);
    const kept = await run(['webhooks', 'rotate', id, '--secret-file', second]);
    const gone = await run(['webhooks', 'create', 'no-address', '--secret-file', path.join(folder, 'third')]);

    const secrets = [first, second].map((file) => readFileSync(file, 'utf8').trim());
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)]);
    expect(statSync(first).mode & 0o777).toBe(0o600);
    expect(secrets.filter((secret) => `${created.stdout}${rotated.stdout}`.includes(secret))).toEqual([]);
    expect([kept.exitCode, kept.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    expect([gone.exitCode, existsSync(path.join(folder, 'third'))]).toEqual([3, false]);
    expect((await run(['webhooks', 'delete', id])).stdout).toBe(`${id} deleted\n`);
  });

  it('print a secret once when no file is named', async () => {
    const { stdout } = await run(['webhooks', 'create', 'http://127.0.0.1:9/b', '--label', 'Shop']);

    expect(stdout).toMatch(/^[0-9a-f-]{36}\nwhsec_\S+\n$/);
    expect((await run(['webhooks', 'create', 'http://127.0.0.1:9/c', '--event', 'post.gone'])).exitCode).toBe(3);
  });
});
