/** Calls Twilio with this install's account and maps its error responses to failures. */
import { basicAuthorization } from '../basic-authorization.ts';
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import type { TwilioAccount } from './settings.ts';
import { callPlatform, type PlatformAnswer, platformWords, stringField } from '../http.ts';

/** API version. */
export const API_VERSION = '2010-04-01';

/** Failure kinds by code; other errors refuse the content. Only the operator can fix the account or the sender. */
const ERRORS = new Map<number, FailureKind>([
  // The account or its token.
  [20_003, 'unavailable'],
  [20_005, 'unavailable'],
  [20_008, 'unavailable'],
  [20_404, 'unavailable'],
  // The sender.
  [21_601, 'unavailable'],
  [21_212, 'unavailable'],
  [21_603, 'unavailable'],
  [21_606, 'unavailable'],
  [21_659, 'unavailable'],
  [21_660, 'unavailable'],
  [21_661, 'unavailable'],
  [21_701, 'unavailable'],
  [21_703, 'unavailable'],
  [21_704, 'unavailable'],
  [21_705, 'unavailable'],
  // Too many messages, also in the queue of the sender.
  [14_107, 'unavailable'],
  [21_611, 'unavailable'],
  [20_429, 'unavailable'],
  [63_038, 'unavailable'],
  // Maintenance.
  [21_730, 'unavailable'],
]);

/** This install's account. @throws PlatformFailure if its settings have been removed */
export function accountOf({ apps }: PlatformIo): TwilioAccount {
  if (apps.twilio !== null) return apps.twilio;
  throw new PlatformFailure('unavailable', 'SMS is not set up on this install any more; nothing was posted.');
}

/**
 * Calls `path` under the account. @param form sent as application/x-www-form-urlencoded; if absent, the call is a
 * GET
 */
export function callTwilio(
  io: PlatformIo,
  { accountSid, authToken }: TwilioAccount,
  path: string,
  form?: Readonly<Record<string, string>>,
): Promise<PlatformAnswer> {
  const headers = { authorization: basicAuthorization(accountSid, authToken), accept: 'application/json' };
  return callPlatform(io, `${io.endpoints.TWILIO_API_URL}/${API_VERSION}/Accounts/${accountSid}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers,
    ...(form !== undefined && { body: new URLSearchParams(form) }),
  });
}

export const { failure } = errorResponses<PlatformAnswer>({
  name: 'Twilio',
  codes: ERRORS,
  codeOf: ({ body }) => {
    const code = (body as { code?: unknown } | null)?.code;
    return typeof code === 'number' ? code : undefined;
  },
  statuses: new Map([
    [401, 'unavailable'],
    [404, 'unavailable'],
  ]),
  redirectsRefuse: true,
  reason,
  unavailable: (answer) =>
    answer.status === 429
      ? undefined
      : { message: `Twilio does not serve this install’s account now: ${reason(answer)}; nothing was posted.` },
});

function reason({ status, body }: PlatformAnswer): string {
  return platformWords(stringField(body, 'message') ?? `HTTP ${status}`);
}
