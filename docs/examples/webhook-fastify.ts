/** Receives deliveries with Fastify. Run with PORT and WEBHOOK_SECRET. */
import { verifyWebhook, WebhookVerificationError } from 'carillon-client';
import { fastify } from 'fastify';

const app = fastify();

// The raw body: what Fastify's own parser makes of it could not be checked any more.
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

app.post<{ Body: Buffer }>('/hook', async (request, reply) => {
  try {
    const event = await verifyWebhook(request.body, request.headers, process.env['WEBHOOK_SECRET'] ?? '');
    console.log(event.event, event.eventId);
    return await reply.code(204).send();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return reply.code(400).send(error.message);
  }
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
