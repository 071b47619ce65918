/** Makes one attempt at a delivery: posts the body and interprets the response. */
import type { Context } from '../context.ts';
import type { ClaimedDelivery, WebhookLease } from './claim-webhook-leases.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { WithReceivers } from './receivers.ts';

/** Outcome of one attempt. */
export interface AttemptOutcome {
  readonly delivered: boolean;
  /** Start of the attempt. */
  readonly attemptedAt: Date;
  /** Until the status line, or until the failure. */
  readonly durationMs: number;
  readonly statusCode: number | null;
  /** One line written by the service; null when the delivery succeeded. */
  readonly error: string | null;
}

type UsedLease = Pick<WebhookLease, 'webhookId' | 'url' | 'secret' | 'previous'>;

/** Never throws. */
export function attemptDelivery(
  context: Context & WithReceivers,
  lease: UsedLease,
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const attributes = {
    'http.request.method': 'POST',
    'carillon.webhook.id': lease.webhookId,
    'carillon.delivery.id': delivery.id,
    'carillon.event': delivery.event,
    'carillon.attempt': delivery.attempts + 1,
  };
  return context.tracer.span({ name: 'deliver event', kind: 'client', attributes }, async (span) => {
    const outcome = await attempt(context, lease, delivery);
    const { statusCode, delivered } = outcome;
    context.counters.countDelivery(delivered ? 'delivered' : 'failed');
    span.set({ 'http.response.status_code': statusCode ?? undefined });
    if (!delivered) span.fail(String(statusCode ?? 'no_answer'));
    return outcome;
  });
}

async function attempt(
  context: Context & WithReceivers,
  lease: UsedLease,
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const attemptedAt = context.clock.now();
  const signing = { ...secretsFor(lease, delivery, attemptedAt), now: attemptedAt, version: context.version };
  const headers = { ...deliveryHeaders(delivery, signing), ...context.tracer.headers() };
  const began = context.clock.elapsed();
  const answer = await context.receivers.post(new URL(lease.url), headers, delivery.body);
  const ended = { attemptedAt, durationMs: Math.round(context.clock.elapsed() - began), statusCode: answer.status };
  if (answer.status === null) return { ...ended, delivered: false, error: answer.problem };
  const delivered = answer.status >= 200 && answer.status < 300;
  return { ...ended, delivered, error: delivered ? null : refusalWords(answer.status) };
}

/**
 * After a rotation two secrets are valid. A receiver that reads only x-service-signature may know either one. The first
 * attempt puts the previous secret there, which every receiver knows until it is updated. Later attempts alternate
 * between the new and the previous secret.
 */
function secretsFor(
  { secret, previous }: Pick<WebhookLease, 'secret' | 'previous'>,
  { attempts }: ClaimedDelivery,
  now: Date,
): { secret: string; alternateSecret: string | null } {
  if (previous === null || previous.until <= now) return { secret, alternateSecret: null };
  const isOlderFirst = attempts % 2 === 0;
  return isOlderFirst
    ? { secret: previous.secret, alternateSecret: secret }
    : { secret, alternateSecret: previous.secret };
}

function refusalWords(status: number): string {
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return `The receiver answered HTTP ${status}${redirect}.`;
}
