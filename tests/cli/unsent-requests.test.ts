/** A request that did not leave this machine has posted nothing: `carillon post` ends with 7, and a script may run it again. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { SELF_SIGNED } from '../harness/self-signed.ts';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';
import { runCli } from './run-cli.ts';

const world = await startWorld();
await connectSandbox(world, { slug: 'bell' });

const failure = (code: string, syscall?: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
const severalAddresses = (...errors: { code: string }[]) =>
  Object.assign(new AggregateError(errors), { code: errors[0]?.code });
const late = (cause?: Error) =>
  Object.assign(new Error('Connect Timeout Error', { cause }), { code: 'UND_ERR_CONNECT_TIMEOUT' });

/** What fetch has as its cause, as Node.js 20 and 26 were seen to give it. */
it.each<[string, Error, number]>([
  [
    'the host does not answer at one address, and refuses at another',
    severalAddresses(failure('ETIMEDOUT', 'connect'), failure('ECONNREFUSED', 'connect')),
    7,
  ],
  [
    'the same, as Node.js 26 gives it',
    late(severalAddresses(failure('ETIMEDOUT', 'connect'), failure('ECONNREFUSED', 'connect'))),
    7,
  ],
  ['the host cannot be reached', failure('EHOSTUNREACH', 'connect'), 7],
  ['its network cannot be reached', failure('ENETUNREACH', 'connect'), 7],
  ['the connection is not answered', failure('ETIMEDOUT', 'connect'), 7],
  ['the name is not known', failure('ENOTFOUND', 'getaddrinfo'), 7],
  ['the name server fails', failure('EAI_FAIL', 'getaddrinfo'), 7],
  ['a connection is lost while its answer is read', failure('ETIMEDOUT', 'read'), 9],
  ['a connection is reset', failure('ECONNRESET', 'read'), 9],
  [
    'one of several errors is not about connecting',
    severalAddresses(failure('ECONNREFUSED', 'connect'), failure('ECONNRESET', 'read')),
    9,
  ],
  ['nothing says what happened', severalAddresses(), 9],
])('ends with the exit code that the network allows: %s', async (name, cause, code) => {
  const fetching = () => Promise.reject(new TypeError('fetch failed', { cause }));

  const { exitCode, stdout } = await runCli(world, ['post', name, '--to', 'bell'], { io: { fetch: fetching } });

  expect([exitCode, stdout]).toEqual([code, '']);
});

it('ends with 7 when the certificate of the host is not trusted, because then no request is sent', async () => {
  let requests = 0;
  const server = createServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.certificate }, () => (requests += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const CARILLON_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { exitCode, stdout } = await runCli(world, ['post', 'Ding', '--to', 'bell'], { env: { CARILLON_URL } });

  expect([exitCode, stdout, requests]).toEqual([7, '', 0]);
});
