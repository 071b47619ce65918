/** `carillon connections`, `connect`, `queue`, `media`, `webhooks list` and `events`, and how answers look. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { makePost } from '../harness/posts.ts';
import { registerWebhook } from '../harness/receiver.ts';
import { OPERATOR } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { PNG, runCli, streamClock, temporaryFolder, type RunOptions } from './run-cli.ts';

const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
const connection = await connectSandbox(world, { slug: 'bell', description: 'A \u001B[31mred\u001B[0m \u202Ebell' });
const run = (args: string[], options?: RunOptions) => runCli(world, args, options);

describe('connections', () => {
  it('are listed, without control characters from outside', async () => {
    const { stdout } = await run(['connections']);

    expect(stdout).toMatch(/^CONNECTION +PLATFORM +STATE +ID +ACCOUNT\nbell +sandbox +ok +/);
    expect(stdout).toContain('[31mred[0m bell');
    expect(['\u001B', '\u202E'].filter((character) => stdout.includes(character))).toEqual([]);
    expect(JSON.parse((await run(['connections', '--json'])).stdout)).toEqual(
      (await world.rest('GET /connections')).body,
    );
  });

  it('fit a terminal, in color unless NO_COLOR is set', async () => {
    const colored = await run(['connections'], { isTTY: true });
    const plain = await run(['connections'], { isTTY: true, env: { NO_COLOR: '1' } });

    expect(colored.stdout.startsWith('\u001B[2mCONNECTION')).toBe(true);
    expect(plain.stdout).toMatch(/^CONNECTION/);
    expect(Math.max(...plain.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(98);
    expect(plain.stdout).toContain('…');
  });
});

describe('connect', () => {
  it('opens the page, waits until the account is connected, and says how to post to it', async () => {
    const opened: string[] = [];
    const linked = Promise.withResolvers<void>();
    const openBrowser = (url: string) => {
      opened.push(url);
      linked.resolve();
    };
    const over = run(
      ['connect', 'sandbox', '--again', 'bell', '--json'].filter((word) => word !== 'sandbox'),
      { io: { openBrowser } },
    );
    await linked.promise;
    await world.sql("update connect_sessions set status = 'connected', connection_id = $1", [connection.id]);

    const { exitCode, stdout, stderr } = await over;

    const { connectSession, connection: found } = JSON.parse(stdout);
    expect([exitCode, connectSession.status, found.slug]).toEqual([0, 'connected', 'bell']);
    expect(stderr).toContain(`Connect the account at ${opened[0]}\nWaiting until `);
  });

  it('gives a link alone, and ends with exit code 3 when nothing was connected', async () => {
    const link = await run(['connect', 'sandbox', '--link-only']);
    const over = run(['connect', 'sandbox', '--print'], {
      onError: (text) => {
        if (text.startsWith('Waiting'))
          void world.sql("update connect_sessions set status = 'failed', error = 'cancelled' where status = 'pending'");
      },
    });

    expect(link.stdout).toMatch(/^http:\S+\nIt works once, until \S+\.\n$/);
    expect(await over).toMatchObject({ exitCode: 3, stdout: 'Nothing was connected: failed (cancelled).\n' });
  });

  it('names what does not exist', async () => {
    const { exitCode, stderr } = await run(['queue', 'nowhere']);

    expect([exitCode, stderr]).toEqual([
      5,
      'No connection has the slug or id "nowhere".\nList them with: carillon connections\n',
    ]);
  });
});

describe('media and webhooks', () => {
  it('are uploaded and listed', async () => {
    const file = path.join(temporaryFolder(), 'bell.png');
    writeFileSync(file, PNG);
    await registerWebhook(world, 'http://127.0.0.1:9/hook');

    const { stdout } = await run(['media', 'upload', file, '--alt', 'A bell']);

    const [id = ''] = stdout.split('  ');
    expect(stdout).toBe(`${id}  ${file}\n`);
    expect((await run(['media', 'list', '--unused'])).stdout).toMatch(
      new RegExp(`\n${id}  image/png  1x1 .*A bell\n$`),
    );
    expect((await run(['webhooks', 'list'])).stdout).toMatch(
      /^ID +STATE +URL +EVENTS\n\S+  on +http:\/\/127\.0\.0\.1:9\/hook  /,
    );
  });
});

describe('media upload of several files', () => {
  const filesIn = (folder: string) => {
    const [first, second, third] = ['1.png', '2.png', '3.png'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const file of [first, third]) writeFileSync(file, PNG);
    writeFileSync(second, 'no image');
    return [first, second, third] as const;
  };

  it('prints the ids before the error of the first that fails', async () => {
    const files = filesIn(temporaryFolder());

    const { exitCode, stdout, stderr } = await run(['media', 'upload', ...files]);

    const [image] = (await world.rest('GET /media?unused=true&limit=1')).body.media;
    expect([exitCode, stdout]).toEqual([3, `${image.id}  ${files[0]}\n`]);
    expect(stderr).toMatch(/^Uploading \S+1\.png \(1 of 3\)\nUploading \S+2\.png \(2 of 3\)\n.*image\/png/);
    expect(stderr).not.toContain('3.png');
  });

  it('prints the images beside the error with --json', async () => {
    const { exitCode, stdout } = await run(['media', 'upload', ...filesIn(temporaryFolder()), '--json']);

    const [image] = (await world.rest('GET /media?unused=true&limit=1')).body.media;
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      3,
      {
        error: 'media_type_mismatch',
        message: expect.any(String),
        hint: expect.any(String),
        docs: expect.any(String),
        retryable: false,
        media: [image],
      },
    ]);
  });
});

describe('events', () => {
  it('are printed as they happen, each one line of JSON with --json', async () => {
    const stopping = new AbortController();
    const lines: string[] = [];
    const opened = Promise.withResolvers<void>();
    const over = run(['events', '--json'], {
      io: { signal: stopping.signal, clock: streamClock(world) },
      onError: () => opened.resolve(),
      onOutput: (text) => {
        lines.push(text);
        stopping.abort();
      },
    });
    await opened.promise;

    const { postId } = await makePost(world, 'bell', { text: 'Ding' });

    expect((await over).exitCode).toBe(0);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      event: 'post.sent',
      mode: 'live',
      data: { post: { id: postId } },
    });
  });

  it('are lines with time, name and post without it, across a stream that breaks', async () => {
    const stopping = new AbortController();
    const cut: AbortController[] = [];
    const reports: string[] = [];
    const lines: string[] = [];
    const cutting: typeof fetch = (url, init) => {
      const broken = new AbortController();
      cut.push(broken);
      return fetch(url, { ...init, signal: AbortSignal.any([broken.signal, ...(init?.signal ? [init.signal] : [])]) });
    };
    const over = run(['events'], {
      io: { signal: stopping.signal, fetch: cutting, clock: streamClock(world) },
      onError: (text) => reports.push(text),
      onOutput: (text) => lines.push(text),
    });
    await expect.poll(() => reports.length).toBe(1);

    await makePost(world, 'bell', { text: 'Ding' });
    await expect.poll(() => lines.length).toBe(1);
    cut[0]?.abort();
    const { postId } = await makePost(world, 'bell', { text: 'Dong' });
    await expect.poll(() => lines.length).toBe(2);
    stopping.abort();

    expect((await over).exitCode).toBe(0);
    const following = `Following the events of ${world.url}\n`;
    expect(reports).toEqual([following, 'The stream ended. Following again after the last event.\n', following]);
    expect(lines[1]).toMatch(new RegExp(`^\\d{4}-\\S+Z post.sent bell ${postId} Dong\n$`));
  });

  it('end at once when no server answers', async () => {
    const { exitCode, stderr } = await run(['events'], { env: { CARILLON_URL: 'http://127.0.0.1:9' } });

    expect([exitCode, stderr]).toEqual([7, expect.stringContaining('No answer from http://127.0.0.1:9')]);
  });
});

describe("the operator's commands", () => {
  it('keep their options, and read the token from the environment alone', async () => {
    const env = { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR };

    const listed = await run(['account', 'list'], { env });
    const set = await run(['account', 'set', '--plan', 'pro'], { env });
    const refused = await run(['account', 'list', '--token', OPERATOR], { env });

    expect(listed.stdout).toMatch(/^account \S+\n  plan /);
    expect(set.stdout).toMatch(/plan +pro\n/);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("unknown option '--token'")]);
  });
});
