/** `npm run carillon -- listen`: forwards the events of a key to a receiver on this machine, as webhooks would. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyWebhook } from '../../client/verify-webhook.ts';
import { listenCommand } from '../../cli/listen-command.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { makePost } from '../harness/posts.ts';
import { registerWebhook, startReceiver } from '../harness/receiver.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { startWorld } from '../harness/world.ts';
import { runCli, streamClock, temporaryFolder } from './run-cli.ts';

const world = await startWorld();

/** Runs the command until the test ends; resolves once it is listening. */
async function listen(args: string[], env: Record<string, string> = {}, request: typeof fetch = fetch) {
  const lines: string[] = [];
  const stopping = new AbortController();
  const random = createSeededRandom('listen', world.clock);
  const introduced = Promise.withResolvers<void>();
  const print = (line: string) => {
    if (lines.push(line) === 2) introduced.resolve();
  };
  const io = { request, clock: streamClock(world), random, print };
  const over = listenCommand({ ...io, signal: stopping.signal }, args, { PUBLIC_URL: world.url, ...env });
  onTestFinished(async () => {
    stopping.abort();
    await over.catch(() => undefined);
  });
  await Promise.race([over, introduced.promise]);
  const secret = /whsec_\S+/.exec(lines[1] ?? '')?.[0] ?? '';
  return { lines, secret, over, stop: () => stopping.abort() };
}

describe('listen --forward', () => {
  it('posts each event as a webhook would, signed with the secret that it prints', async () => {
    const { key } = await accountWithSandbox(world);
    const receiver = await startReceiver();
    const delivered = await startReceiver();
    await registerWebhook(world, delivered.url, { key });
    const { lines, secret } = await listen(['--forward', receiver.url], { CARILLON_KEY: key });

    const { postId } = await makePost(world, 'sandbox', { key, text: 'Ding' });
    await world.runDue();

    await expect.poll(() => lines.length).toBe(3);
    const [{ raw, headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const event = await verifyWebhook(raw, headers, secret, { now: world.clock.now() });
    expect(event).toMatchObject({ event: 'post.sent', post: { id: postId, text: 'Ding' } });
    // The headers are the same. The values differ only in the id and in the values derived from it.
    const [{ headers: real }] = delivered.received as [(typeof delivered.received)[0]];
    const service = (all: object) =>
      Object.entries(all).filter(([name]) => /^(x-service-|content-type|user-agent)/.test(name));
    expect(
      service(headers)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(
      service(real)
        .map(([name]) => name)
        .toSorted(),
    );
    expect(headers).toMatchObject({
      'content-type': real['content-type'],
      'user-agent': real['user-agent'],
      'x-service-event': 'post.sent',
      'x-service-event-id': body.eventId,
      'x-service-delivery': body.eventId,
      'x-service-mode': 'live',
    });
    expect(lines).toEqual([
      `Listening at ${world.url}; events go to ${receiver.url}`,
      `They are signed with ${secret}`,
      `${world.clock.now().toISOString()}  post.sent  ${body.eventId}  HTTP 200`,
    ]);
  });

  it('accepts a key and a secret as settings, and prints the mode of a test key', async () => {
    const receiver = await startReceiver();
    const secret = 'whsec_my-own';
    const { lines } = await listen(['--forward', receiver.url], {
      CARILLON_KEY: world.testKey,
      CARILLON_WEBHOOK_SECRET: secret,
    });

    await makePost(world, world.sandboxSlug, { key: world.testKey });

    await expect.poll(() => lines.length).toBe(3);
    const [{ raw, headers }] = receiver.received as [(typeof receiver.received)[0]];
    expect(headers['x-service-mode']).toBe('test');
    expect(await verifyWebhook(raw, headers, secret, { now: world.clock.now() })).toMatchObject({ event: 'post.sent' });
  });

  it('retries nothing: it prints the status and continues', async () => {
    const { key } = await accountWithSandbox(world);
    const receiver = await startReceiver(500);
    const { lines } = await listen(['--forward', receiver.url], { CARILLON_KEY: key });

    await makePost(world, 'sandbox', { key });
    await expect.poll(() => lines.length).toBe(3);
    receiver.answer((response) => response.destroy());
    await makePost(world, 'sandbox', { key });

    await expect.poll(() => lines.length).toBe(4);
    expect(lines.slice(2).map((line) => line.split('  ').slice(3).join())).toEqual([
      'HTTP 500',
      expect.stringMatching(/^no answer \(.+\)$/),
    ]);
    expect(receiver.received).toHaveLength(2);
  });

  it('reconnects when a stream ends, after the last event, and neither loses nor repeats an event', async () => {
    const { key } = await accountWithSandbox(world);
    const receiver = await startReceiver();
    const cut: AbortController[] = [];
    const cutting: typeof fetch = (url, init) => {
      if (init?.method === 'POST') return fetch(url, init);
      const broken = new AbortController();
      cut.push(broken);
      const signals = [broken.signal, ...(init?.signal ? [init.signal] : [])];
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    };
    const { lines } = await listen(['--forward', receiver.url], { CARILLON_KEY: key }, cutting);

    for (const text of ['One', 'Two', 'Three']) {
      cut.at(-1)?.abort();
      await makePost(world, 'sandbox', { key, text });
      await expect.poll(() => receiver.received.length).toBe(['One', 'Two', 'Three'].indexOf(text) + 1);
    }

    expect(receiver.received.map(({ body }) => body.post.text)).toEqual(['One', 'Two', 'Three']);
    expect(lines).toContain('The stream ended. Listening again after the last event.');
  });

  it('ends with a message when its key is revoked', async () => {
    const { key } = await accountWithSandbox(world);
    const [{ account_id: accountId }] = (await world.sql<{ account_id: string }>(
      'select account_id from api_keys order by id desc limit 1',
    )) as [{ account_id: string }];
    const { id, secret } = await world.key({ accountId });
    const { over } = await listen(['--forward', 'http://127.0.0.1:9'], { CARILLON_KEY: secret });

    await world.rest(`DELETE /keys/${id}`, { key });

    await expect(over).rejects.toThrow('The API key is missing, unknown or revoked.');
  });

  it.each<[string[], Record<string, string>, string]>([
    [[], {}, 'Set where events go with --forward, e.g. http://localhost:4000.'],
    [
      ['--forward', 'localhost'],
      {},
      '--forward: expected an address such as https://app.example/webhooks, not "localhost".',
    ],
    [['--forward', 'http://localhost:4000'], {}, 'Set the API key with CARILLON_KEY.'],
    [['--forward', 'http://localhost:4000'], { CARILLON_KEY: 'wrong' }, 'The API key is missing, unknown or revoked.'],
    [
      ['--forward', 'http://localhost:4000', '--url', 'http://127.0.0.1:9'],
      { CARILLON_KEY: 'k' },
      'No answer from http://127.0.0.1:9',
    ],
    [
      ['--forward', 'http://localhost:4000', '--url', 'here'],
      { CARILLON_KEY: 'k' },
      '--url: expected an origin such as http://localhost:3000, not "here".',
    ],
  ])('refuses %j with a message', async (args, env, message) => {
    await expect(listen(args, env)).rejects.toThrow(message);
  });
});

it.each([['listen'], ['webhooks', 'listen']])('is the command %s %s', async (...words) => {
  const { exitCode, stderr } = await runCli(
    world,
    words.filter((word) => typeof word === 'string'),
  );

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Set where events go with --forward')]);
});

describe('sends no key to the install of this machine', () => {
  const [CARILLON_URL, CARILLON_KEY] = [undefined, undefined];
  const elsewhere = '{"url":"https://bells.example","key":"k"}';

  it.each<[string, Record<string, string | undefined>, string | undefined, number, string]>([
    ['CARILLON_URL is malformed', { CARILLON_URL: 'bells.example' }, undefined, 2, 'CARILLON_URL: expected an origin'],
    ['it has no scheme', { CARILLON_URL: 'bells.example:3100' }, undefined, 2, 'CARILLON_URL: expected an origin'],
    ['there is no key', { CARILLON_KEY }, undefined, 4, 'You are not signed in.'],
    ['neither is set', { CARILLON_URL, CARILLON_KEY }, undefined, 2, 'Set the API key with CARILLON_KEY.'],
    ['the stored login is damaged', { CARILLON_URL, CARILLON_KEY }, 'x', 1, 'is not a login.'],
    ['the login is for another install', { CARILLON_KEY }, elsewhere, 4, 'signed in to https://bells.example'],
  ])('when %s', async (_case, env, stored, code, message) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'carillon'));
    if (stored !== undefined) writeFileSync(path.join(folder, 'carillon', 'login.json'), stored);
    const sent: unknown[] = [];
    const request: typeof fetch = (url) => {
      sent.push(url);
      return Promise.reject(new TypeError('fetch failed'));
    };

    const args = ['listen', '--forward', 'http://127.0.0.1:9/hook'];
    const variables = { XDG_CONFIG_HOME: folder, ...env };
    const { exitCode, stderr } = await runCli(world, args, { env: variables, io: { fetch: request } });

    expect([exitCode, stderr, sent]).toEqual([code, expect.stringContaining(message), []]);
  });
});

it('refuses to follow another install than that of the login', async () => {
  const random = createSeededRandom('listen', world.clock);
  const { signal } = new AbortController();
  const io = { request: fetch, clock: world.clock, random, print: () => undefined, signal };
  const args = ['--forward', 'http://localhost:4000', '--url', 'http://localhost:3000'];

  const listening = listenCommand(io, args, {}, { url: 'https://bells.example', apiKey: 'crl_live_key' });

  await expect(listening).rejects.toThrow(
    '--url names http://localhost:3000, but the login is for https://bells.example. Set CARILLON_URL and CARILLON_KEY for the other install.',
  );
});
