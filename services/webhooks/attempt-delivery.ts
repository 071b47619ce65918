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

/** Never throws. */
export async function attemptDelivery(
  context: Context & WithReceivers,
  lease: Pick<WebhookLease, 'url' | 'secret' | 'previous'>,
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const attemptedAt = context.clock.now();
  const { version } = context;
  const headers = deliveryHeaders(delivery, { ...secretsFor(lease, delivery, attemptedAt), now: attemptedAt, version });
  const began = context.clock.elapsed();
  const answer = await context.receivers.post(new URL(lease.url), headers, delivery.body);
  const attempt = { attemptedAt, durationMs: Math.round(context.clock.elapsed() - began), statusCode: answer.status };
  if (answer.status === null) return { ...attempt, delivered: false, error: answer.problem };
  const delivered = answer.status >= 200 && answer.status < 300;
  return { ...attempt, delivered, error: delivered ? null : refusalWords(answer.status) };
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
