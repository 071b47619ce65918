/** One attempt at a delivery: what is posted, and what the answer means. */
import type { Context } from '../context.ts';
import type { ClaimedDelivery, Lane } from './claim-lanes.ts';
import { deliveryHeaders } from './delivery-headers.ts';

/** What came of an attempt. */
export interface AttemptOutcome {
  readonly delivered: boolean;
  /** When it began. */
  readonly attemptedAt: Date;
  readonly statusCode: number | null;
  /** One line of ours; null when it was delivered. */
  readonly error: string | null;
}

/** Never throws. */
export async function attemptDelivery(
  context: Context,
  lane: Pick<Lane, 'url' | 'secret'>,
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const attemptedAt = context.clock.now();
  const { version } = context;
  const headers = deliveryHeaders(delivery, { secret: lane.secret, now: attemptedAt, version });
  const answer = await context.receivers.post(new URL(lane.url), headers, delivery.body);
  if (answer.status === null) return { delivered: false, attemptedAt, statusCode: null, error: answer.problem };
  const delivered = answer.status >= 200 && answer.status < 300;
  return { delivered, attemptedAt, statusCode: answer.status, error: delivered ? null : refusalWords(answer.status) };
}

function refusalWords(status: number): string {
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return `The receiver answered HTTP ${status}${redirect}.`;
}
