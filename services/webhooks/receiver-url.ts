/** Whether an address can be one of a webhook, as far as that shows without asking anybody. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';

/** Longest address. */
export const RECEIVER_URL_MAX = 2_000;

/** The characters of an address (RFC 3986). */
const ADDRESS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** What is expected instead of an address that cannot be one; null when it can. */
export function receiverUrlProblem(text: string): string | null {
  const url = ADDRESS.test(text) ? URL.parse(text) : null;
  if (url === null) return 'an address such as https://app.example/webhooks';
  if (url.username !== '' || url.password !== '') return 'an address without user name and password';
  return url.protocol === 'https:' || url.protocol === 'http:' ? null : 'an https address';
}

/** @throws ServiceError invalid_request when nothing may be delivered there */
export async function requireReceiver(context: Context, text: string): Promise<void> {
  const problem = receiverUrlProblem(text);
  if (problem !== null) throw new ServiceError('invalid_request', `url: expected ${problem}.`);
  const refusal = await context.receivers.refusal(new URL(text));
  if (refusal !== null) throw new ServiceError('invalid_request', `url: ${refusal}`);
}
