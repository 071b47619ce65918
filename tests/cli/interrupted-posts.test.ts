/** A command that is interrupted with Ctrl-C or SIGTERM says when its post may have gone out all the same. */
import { expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { holdSends } from '../harness/held-sends.ts';
import { startWorld } from '../harness/world.ts';
import { runCli } from './run-cli.ts';

const world = await startWorld();
await connectSandbox(world, { slug: 'bell' });

const HINT = 'The post may have gone out. Look before you run the command again: carillon posts list\n';

/** Runs a command, and interrupts it when the service has begun to send. */
async function interrupted(...args: string[]) {
  const sends = holdSends(world);
  const stopping = new AbortController();
  void sends.begun.then(() => stopping.abort());
  const ended = await runCli(world, args, { io: { signal: stopping.signal } });
  sends.release();
  return ended;
}

it('ends with 9 and says so when it is interrupted while a post is sent', async () => {
  const { exitCode, stdout, stderr } = await interrupted('post', 'Ding', '--to', 'bell');

  expect([exitCode, stdout, stderr]).toEqual([9, '', expect.stringContaining(HINT)]);
});

it('prints an error with --json', async () => {
  const { exitCode, stdout } = await interrupted('post', 'Dong', '--to', 'bell', '--json');

  expect([exitCode, `${JSON.parse(stdout).hint}\n`]).toEqual([9, HINT]);
});

it('ends with 9 and says so when it is interrupted while a post is sent again by force', async () => {
  const first = await runCli(world, ['post', '[[reject]] Dang', '--to', 'bell', '--json']);
  const [{ postId }] = JSON.parse(first.stdout).results;

  const { exitCode, stderr } = await interrupted('retry', postId, '--force');

  expect([exitCode, stderr]).toEqual([9, expect.stringContaining(HINT)]);
});

it('ends with 9 and says so when it is interrupted while it waits to ask again', async () => {
  const stopping = new AbortController();
  const lost: typeof fetch = async (url, init) => {
    await fetch(url, init);
    throw new TypeError('fetch failed');
  };
  const onError = (text: string) => {
    if (text.includes('Trying again')) stopping.abort();
  };

  const { exitCode, stderr } = await runCli(world, ['post', 'Dung', '--to', 'bell'], {
    onError,
    io: { fetch: lost, signal: stopping.signal },
  });

  expect([exitCode, stderr]).toEqual([9, expect.stringContaining(HINT)]);
});

it('ends with 1 and without a word when it is interrupted before anything is sent', async () => {
  const stopping = new AbortController();
  const stdin = {
    isTTY: false,
    read: async () => {
      stopping.abort();
      return 'Not sent';
    },
  };

  const ended = await runCli(world, ['post', '--to', 'bell'], { io: { stdin, signal: stopping.signal } });

  expect(ended).toEqual({ exitCode: 1, stdout: '', stderr: '' });
  expect((await world.rest('GET /posts?q=sent')).body.posts).toEqual([]);
});
