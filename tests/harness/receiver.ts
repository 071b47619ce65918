/** A webhook receiver: records each request, and answers as configured. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { World } from './world.ts';

export interface ReceivedDelivery {
  readonly headers: IncomingMessage['headers'];
  /** The unchanged request body. */
  readonly raw: string;
  // eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedDelivery[];
  /** Number of connections it accepted. */
  connections(): number;
  /** Status of the answers from now on, or another way to treat the requests. */
  answer(how: number | Answer): void;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Listens until the test ends; with `afterAll`, until the file ends. */
export async function startReceiver(
  how: number | Answer = 200,
  atTheEnd: (close: () => void) => void = onTestFinished,
): Promise<Receiver> {
  let answer: number | Answer = how;
  let connections = 0;
  const received: ReceivedDelivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers, raw, body: JSON.parse(raw) });
      if (typeof answer === 'function') answer(response, request);
      else response.writeHead(answer).end();
    });
  });
  server.on('connection', () => (connections += 1));
  // A busy process may stall for longer than the keep-alive time-out.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    answer: (next) => (answer = next),
  };
}

export interface TestWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly description: string | null;
  readonly enabled: boolean;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  readonly createdAt: string;
}

/** Registers a webhook over the API. */
export async function registerWebhook(
  world: World,
  url: string,
  options: { key?: string | null; events?: readonly string[] } = {},
): Promise<TestWebhook> {
  const { key = world.liveKey, ...fields } = options;
  const { status, body } = await world.rest('POST /webhooks', { key, body: { url, ...fields } });
  if (status !== 200) throw new Error(`the webhook was not registered: ${JSON.stringify(body)}`);
  return body.webhook;
}

/** A delivery as the API lists it. */
export interface TestDelivery {
  readonly id: string;
  readonly event: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string;
  readonly deadAt: string | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
}

/** The deliveries of a webhook, newest first. */
export async function deliveriesOf(
  world: World,
  webhookId: string,
  key: string | null = world.liveKey,
): Promise<TestDelivery[]> {
  const { status, body } = await world.rest(`GET /webhooks/${webhookId}/deliveries?limit=100`, { key });
  if (status !== 200) throw new Error(`the deliveries were not listed: ${JSON.stringify(body)}`);
  return body.deliveries;
}
