/** Receives deliveries with Express. Run with PORT and WEBHOOK_SECRET. */
import { verifyWebhook, WebhookVerificationError } from 'carillon-client';
import express from 'express';

const app = express();

// The raw body: what express.json() makes of it could not be checked any more.
app.post('/hook', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
  try {
    const event = await verifyWebhook(request.body, request.headers, process.env['WEBHOOK_SECRET'] ?? '');
    console.log(event.event, event.eventId);
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.message);
  }
});

app.listen(Number(process.env['PORT']), '127.0.0.1');
