/** A webhook receiver that outlives the server. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ServerProcess } from './server-process.ts';

export interface ReceivedEvent {
  readonly eventId: string;
  readonly text: string;
}

export interface Receiver {
  readonly url: string;
  /** Every call, oldest first. */
  readonly received: ReceivedEvent[];
}

export async function startReceiver(
  answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    let raw = '';
    request.setEncoding('utf8').on('data', (text: string) => (raw += text));
    request.on('end', () => {
      const body = JSON.parse(raw);
      received.push({ eventId: body.eventId, text: body.post.text });
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

/** Registers a webhook for sent posts and returns its id. */
export async function register(server: ServerProcess, url: string): Promise<string> {
  const { body } = await server.rest('POST /webhooks', { body: { url, events: ['post.sent'] } });
  return body.webhook.id;
}
