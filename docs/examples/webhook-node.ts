/** Receives deliveries with nothing but Node. Run with PORT and WEBHOOK_SECRET. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'carillon-client';

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const event = await verifyWebhook(await buffer(request), request.headers, process.env['WEBHOOK_SECRET'] ?? '');
    console.log(event.event, event.eventId);
    response.writeHead(204).end();
  } catch (error) {
    const refused = error instanceof WebhookVerificationError;
    response.writeHead(refused ? 400 : 500).end(refused ? error.message : '');
  }
}

createServer((request, response) => void receive(request, response)).listen(Number(process.env['PORT']), '127.0.0.1');
