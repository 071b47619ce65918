/** Connections that a proxy keeps open between two requests (docs/guide/deployment.md#behind-a-reverse-proxy). */
import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { type HttpServer, serve } from '../../server/http-server.ts';
import { createTestClock } from '../harness/test-clock.ts';

/** Seconds after which nginx (keepalive_timeout of an upstream) and AWS (idle timeout of an ALB) close an idle connection. */
const OF_PROXIES = 60;

async function listening(): Promise<HttpServer> {
  const limits = { maxConnections: 10, maxConnectionsPerAddress: 10, requestTimeoutMs: 60_000 };
  return serve(
    (_request, response) => void response.end('ding'),
    { port: 0, host: '127.0.0.1', ...limits },
    { isProxy: () => true, clock: createTestClock(), log: { warn: () => undefined } },
  );
}

/** A proxy that has sent one request and keeps the connection. */
async function proxyOf({ port }: HttpServer): Promise<{ response: IncomingMessage; agent: Agent }> {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const [response] = (await once(get({ port, host: '127.0.0.1', agent }), 'response')) as [IncomingMessage];
  const freed = once(agent, 'free');
  response.resume();
  await freed;
  return { response, agent };
}

it('stay open for longer than a proxy keeps them, so that none closes while the proxy sends a request', async () => {
  const server = await listening();
  onTestFinished(() => server.close());

  const { response } = await proxyOf(server);

  const [, seconds] = /^timeout=(\d+)$/.exec(String(response.headers['keep-alive'])) ?? [];
  expect(Number(seconds)).toBeGreaterThan(OF_PROXIES);
});

it('do not hold up a stop', async () => {
  const server = await listening();
  const { agent } = await proxyOf(server);
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);

  await server.close();
});
