/**
 * Requested stops: the process finishes its work, waits for no other client, and reports the result in its exit code.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { allSettled } from './all-settled.ts';
import { eachOnce, post, postAndLeave, SANDBOX, schedule, startAgain, tally } from './posts.ts';
import { ENGINE, LIVE_KEY, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const GOOD = { code: 0, signal: null };

/** A stop without pending work; generous, because machines may be busy. */
const PROMPT_MS = 5_000;

/** A raw connection that has sent these bytes. */
async function open(server: ServerProcess, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  if (bytes !== '') socket.write(bytes);
  return socket;
}

const HEAD = `POST /api/v2/posts HTTP/1.1\r\nhost: x\r\nx-api-key: ${LIVE_KEY}\r\ncontent-type: application/json\r\ncontent-length: 60\r\n`;

describe(`on ${ENGINE}, a stop`, () => {
  it('waits for a post in progress and answers it', async () => {
    const install = await newInstall();
    const server = await install.start();
    const answer = server.rest('POST /posts', { body: { text: 'slowly [[slow 2000]]', connectionSlugs: [SANDBOX] } });
    await waitUntil('it is being sent', async () => {
      const { body } = await server.rest('GET /posts?status=processing');
      return body.posts.length === 1;
    });

    const ended = await server.stop();

    expect(ended).toMatchObject(GOOD);
    expect(ended.tookMs).toBeLessThan(2_000 + PROMPT_MS);
    const { status, headers, body } = await answer;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    expect(body).toEqual({
      results: [
        {
          connectionSlug: SANDBOX,
          status: 'sent',
          postId: expect.any(String),
          url: expect.any(String),
          scheduledFor: null,
          threadCount: 0,
          hasFirstComment: false,
          error: null,
        },
      ],
    });
    expect(await tally(install)).toEqual(eachOnce(1));
  });

  it('waits for a post whose caller has disconnected', async () => {
    const install = await newInstall();
    const server = await install.start();
    const body = JSON.stringify({ text: 'slowly [[slow 2000]]', connectionSlugs: [SANDBOX] });
    const socket = await open(server, `${HEAD.replace('60', String(body.length))}\r\n${body}`);
    await waitUntil(
      'it is being sent',
      async () => (await server.rest('GET /posts?status=processing')).body.posts.length === 1,
    );
    socket.destroy();

    expect(await server.stop()).toMatchObject(GOOD);

    expect(await tally(install)).toEqual(eachOnce(1));
  });

  it('finishes scheduled posts in progress, starts no new ones, and leaves these to the next start', async () => {
    const install = await newInstall();
    const first = await install.start();
    const due = new Date(Date.now() + 4_000);
    const texts = (count: number, text: string) => Array.from({ length: count }, (_, index) => `${text} ${index}`);
    await schedule(first, texts(20, '[[slow 1500]]'), due);
    await schedule(first, texts(20, 'later'), new Date(due.getTime() + 1_000));
    await waitUntil(
      'they are being sent',
      async () => (await first.rest('GET /posts?status=processing')).body.posts.length === 20,
    );

    expect(await first.stop()).toMatchObject(GOOD);

    const stopped = (await tally(install)) as { sent: number; attempts: number };
    expect(stopped.sent).toBeGreaterThanOrEqual(20);
    expect(stopped.attempts).toBe(stopped.sent);
    const second = await startAgain(install);
    await allSettled(second);
    await second.stop();
    expect(await tally(install)).toEqual(eachOnce(40));
  });

  it.each([
    ['says nothing', ''],
    ['stopped in the middle of a header', HEAD.slice(0, 40)],
    ['stopped in the middle of a body', `${HEAD}\r\n{"text":`],
  ])('does not wait for a caller who %s', async (_title, bytes) => {
    const install = await newInstall();
    const server = await install.start();
    const socket = await open(server, bytes);
    // Answered on the same event loop, so the server has read the bytes by then.
    await server.get('/livez');

    const ended = await server.stop();

    expect(ended).toMatchObject(GOOD);
    expect(ended.tookMs).toBeLessThan(PROMPT_MS);
    socket.destroy();
  });

  it('accepts no new connections meanwhile', async () => {
    const install = await newInstall();
    const server = await install.start();
    await postAndLeave(server, SANDBOX, 'slowly [[slow 2000]]');

    const ending = server.stop();

    await waitUntil('no connection is taken', () =>
      server.get('/livez').then(
        () => false,
        () => true,
      ),
    );
    expect(server.child.exitCode).toBeNull();
    expect(await ending).toMatchObject(GOOD);
  });

  it('that follows the first output does not abort the start', async () => {
    const install = await newInstall();
    const server = install.launch();
    await waitUntil('it answers', () =>
      server.get('/livez').then(
        () => true,
        () => false,
      ),
    );

    expect(await server.stop()).toMatchObject(GOOD);

    const second = await install.start();
    expect((await post(second, SANDBOX, 'hello')).status).toBe('sent');
  });

  it('that is requested twice is one stop', async () => {
    const install = await newInstall();
    const server = await install.start();
    await postAndLeave(server, SANDBOX, 'slowly [[slow 1500]]');

    const [once_, twice] = await Promise.all([server.stop(), server.stop()]);

    expect([once_, twice]).toMatchObject([GOOD, GOOD]);
    expect(server.log().filter(({ msg }) => String(msg).startsWith('stopping'))).toHaveLength(1);
    expect(await tally(install)).toEqual(eachOnce(1));
  });
});
