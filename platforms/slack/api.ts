/** Calls Slack's Web API as a bot and maps its errors to failures. */
import type { FailureKind, PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { callPlatform, isTemporary, type PlatformAnswer, platformWords, retryAfterMsOf, stringField } from '../http.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface SlackCredential {
  readonly botToken: string;
  readonly channelId: string;
}

/** Slack reads the arguments of some methods as JSON, and those of all methods as a form. */
export type Arguments = { readonly json: unknown } | { readonly form: Readonly<Record<string, string>> };

export interface SlackAnswer extends PlatformAnswer {
  /**
   * Slack's error name, usually with HTTP 200. Null when there is no error, and when the response did not come
   * from Slack's API.
   */
  readonly error: string | null;
  readonly isOk: boolean;
}

/** Failure kinds by error name. Other errors refuse the content. */
const ERRORS = new Map<string, FailureKind>([
  // The token is invalid or expired.
  ['invalid_auth', 'reconnect'],
  ['not_authed', 'reconnect'],
  ['account_inactive', 'reconnect'],
  ['token_revoked', 'reconnect'],
  ['token_expired', 'reconnect'],
  ['org_login_required', 'reconnect'],
  ['team_access_not_granted', 'reconnect'],
  // The token lacks a permission.
  ['no_permission', 'reconnect'],
  ['missing_scope', 'reconnect'],
  ['not_allowed_token_type', 'reconnect'],
  ['access_denied', 'reconnect'],
  // The channel no longer exists, or the bot was removed from it.
  ['channel_not_found', 'reconnect'],
  ['not_in_channel', 'reconnect'],
  ['is_archived', 'reconnect'],
  // Temporarily overloaded or rate limited.
  ['ratelimited', 'unavailable'],
  ['rate_limited', 'unavailable'],
  ['message_limit_exceeded', 'unavailable'],
  ['service_unavailable', 'unavailable'],
  ['team_added_to_org', 'unavailable'],
  // The request arrived incomplete, so Slack did not process it.
  ['request_timeout', 'unavailable'],
  // Slack's documentation says that part of the request may have been processed.
  ['internal_error', 'unknown'],
  ['fatal_error', 'unknown'],
]);

/** Errors that ask the client to wait, also with HTTP 200. */
const RATE_LIMITS = ['ratelimited', 'rate_limited', 'message_limit_exceeded'];

/** Calls one method. @see https://docs.slack.dev/apis/web-api/ */
export async function callSlack(
  io: PlatformIo,
  botToken: string | null,
  method: string,
  given: Arguments,
): Promise<SlackAnswer> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (botToken !== null) headers['authorization'] = `Bearer ${botToken}`;
  if ('json' in given) headers['content-type'] = 'application/json; charset=utf-8';
  const body = 'json' in given ? JSON.stringify(given.json) : new URLSearchParams(given.form);
  const answer = await callPlatform(io, `${io.endpoints.SLACK_API_URL}/api/${method}`, {
    method: 'POST',
    headers,
    body,
  });
  const isOk = answer.status === 200 && (answer.body as { ok?: unknown } | null)?.ok === true;
  return { ...answer, isOk, error: isOk ? null : (stringField(answer.body, 'error') ?? null) };
}

export const { failure } = errorResponses<SlackAnswer>({
  name: 'Slack',
  statuses: new Map(),
  kindOf: (answer) => {
    const { status, error } = answer;
    if (status === 429 || error === null) return undefined;
    return ERRORS.get(error) ?? (isTemporary(answer) ? undefined : 'rejected');
  },
  isOwn: ({ error }) => error !== null,
  reason: ({ status, error, body }) => {
    const needed = stringField(body, 'needed');
    return platformWords(`${error ?? `HTTP ${status}`}${needed === undefined ? '' : ` (${needed})`}`);
  },
  unavailable: (answer) => {
    const { status, error } = answer;
    if (status === 429 || error === null) return undefined;
    const asked = { ...answer, status: RATE_LIMITS.includes(error) ? 429 : status };
    return {
      message: `Slack accepts nothing for now (${platformWords(error)}); nothing was posted.`,
      retryAfterMs: retryAfterMsOf(asked),
    };
  },
  unknown: ({ status, error }) => error ?? `HTTP ${status}`,
});
