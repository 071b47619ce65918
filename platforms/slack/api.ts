/** Calls to Slack's Web API in the name of a bot, and what its refusals mean. */
import { type FailureKind, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';

/** What is stored, encrypted, for a connection. */
export interface SlackLogin {
  readonly botToken: string;
  readonly channelId: string;
}

/** Slack reads some methods' arguments as JSON, and all of them as a form. */
export type Arguments = { readonly json: unknown } | { readonly form: Readonly<Record<string, string>> };

export interface SlackAnswer extends PlatformAnswer {
  /** Slack's name of what went wrong, which mostly comes with HTTP 200; null when nothing did, and when something else than Slack's API answered. */
  readonly error: string | null;
  readonly isOk: boolean;
}

/** What an error means, by its name. Others are refusals of what was sent. */
const ERRORS = new Map<string, FailureKind>([
  // The token is dead, or was never one.
  ['invalid_auth', 'reconnect'],
  ['not_authed', 'reconnect'],
  ['account_inactive', 'reconnect'],
  ['token_revoked', 'reconnect'],
  ['token_expired', 'reconnect'],
  ['org_login_required', 'reconnect'],
  ['team_access_not_granted', 'reconnect'],
  // It lacks a permission.
  ['no_permission', 'reconnect'],
  ['missing_scope', 'reconnect'],
  ['not_allowed_token_type', 'reconnect'],
  ['access_denied', 'reconnect'],
  // The channel is gone, or the bot was removed from it.
  ['channel_not_found', 'reconnect'],
  ['not_in_channel', 'reconnect'],
  ['is_archived', 'reconnect'],
  // Too much for now.
  ['ratelimited', 'unavailable'],
  ['rate_limited', 'unavailable'],
  ['message_limit_exceeded', 'unavailable'],
  ['service_unavailable', 'unavailable'],
  ['team_added_to_org', 'unavailable'],
  // The request came cut short, so that nothing was done with it.
  ['request_timeout', 'unavailable'],
  // By Slack's own words a part of it may have been done.
  ['internal_error', 'unknown'],
  ['fatal_error', 'unknown'],
]);

/** Errors that ask to wait, also where they come with HTTP 200. */
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

/** The failure that an answer other than `ok` stands for, to a call that publishes. */
export function failure(answer: SlackAnswer): PlatformFailure {
  const { status, error, body } = answer;
  const kind = failureKind(answer);
  if (kind === 'unknown') return new PlatformFailure(kind, `Slack answered ${error ?? `HTTP ${status}`}.`);
  if (status === 429 || (kind === 'unavailable' && error === null)) return unavailable('Slack', answer);
  if (kind === 'unavailable') {
    const { retryAfterMs } = unavailable('Slack', {
      ...answer,
      status: RATE_LIMITS.includes(error ?? '') ? 429 : status,
    });
    const message = `Slack takes nothing for now (${platformWords(error ?? '')}); nothing was posted.`;
    return new PlatformFailure(kind, message, { retryAfterMs });
  }
  const needed = stringField(body, 'needed');
  const words = platformWords(`${error ?? `HTTP ${status}`}${needed === undefined ? '' : ` (${needed})`}`);
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `Slack ${verb}: ${words}`);
}

function failureKind({ status, error }: SlackAnswer): FailureKind {
  if (status === 429) return 'unavailable';
  const known = error === null ? undefined : ERRORS.get(error);
  if (known !== undefined) return known;
  return error === null || status >= 500 ? 'unknown' : 'rejected';
}
