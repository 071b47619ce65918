/** Validates the url of a webhook, as far as that is possible without a DNS lookup. */
import { ServiceError } from '../../errors/service-error.ts';
import type { WithReceivers } from './receivers.ts';

/** Maximum length of a url. */
export const RECEIVER_URL_MAX = 2_000;

/** The characters allowed in a url (RFC 3986). */
const ADDRESS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** Says what is expected instead of an invalid url; null for a valid one. */
export function receiverUrlProblem(text: string): string | null {
  // Without URL.parse, which Node.js 20 does not have: the package of the command line contains this file.
  const url = ADDRESS.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'an address such as https://app.example/webhooks';
  if (url.username !== '' || url.password !== '') return 'an address without user name and password';
  return url.protocol === 'https:' || url.protocol === 'http:' ? null : 'an https address';
}

/** @throws ServiceError invalid_request when deliveries to the url are not allowed */
export async function requireReceiver(context: WithReceivers, text: string): Promise<void> {
  const problem = receiverUrlProblem(text);
  if (problem !== null) throw new ServiceError('invalid_request', `url: expected ${problem}.`);
  const refusal = await context.receivers.refusal(new URL(text));
  if (refusal !== null) throw new ServiceError('invalid_request', `url: ${refusal}`);
}
