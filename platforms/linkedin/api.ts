/** Calls LinkedIn's versioned API and maps its error responses to failures. */
import { z } from 'zod';
import { type FailureKind, type FetchInit, PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isWebPage, type PlatformAnswer, platformWords, stringField, unavailable } from '../http.ts';
import { refusedDeleteKind } from '../refused-delete.ts';

/** API version; LinkedIn supports each for about a year. */
export const API_VERSION = '202607';

export interface LinkedInCall {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly json?: unknown;
  /** The Rest.li method, if the HTTP method does not determine it. */
  readonly restli?: 'FINDER' | 'DELETE';
}

/** Failure kinds of statuses that always mean the same for a publishing call. */
const STATUSES: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'reconnect'],
  [426, 'unavailable'],
  [429, 'unavailable'],
]);

/** Message patterns that tell a 403 about content from a 403 about permissions. */
const ABOUT_CONTENT = /\b(?:content|commentary|text|spam|policy|policies)\b/i;
const ABOUT_ACCESS = /\b(?:permissions?|access|scopes?|roles?|authori[sz]ed)\b/i;

const InputErrors = z.object({
  errorDetails: z.object({
    inputErrors: z.array(z.object({ code: z.string().optional(), description: z.string().optional() })).min(1),
  }),
});

/** Calls `path` under the API's origin. Ids in it must be URL-encoded. */
export function callLinkedIn(
  io: PlatformIo,
  accessToken: string,
  path: string,
  { method, json, restli }: LinkedInCall = {},
): Promise<PlatformAnswer> {
  const init: FetchInit = {
    method: method ?? 'GET',
    headers: {
      authorization: `Bearer ${accessToken}`,
      accept: 'application/json',
      'linkedin-version': API_VERSION,
      'x-restli-protocol-version': '2.0.0',
      ...(restli !== undefined && { 'x-restli-method': restli }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
  return callPlatform(io, `${io.endpoints.LINKEDIN_API_URL}${path}`, init);
}

/** Whether a response is a success. */
export function isOk({ status }: PlatformAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Returns the failure for a response other than 2xx to a publishing call. */
export function failure(answer: PlatformAnswer, kind: FailureKind = failureKind(answer)): PlatformFailure {
  if (kind === 'unknown') return new PlatformFailure(kind, `LinkedIn answered HTTP ${answer.status}.`);
  if (answer.status === 429) return unavailable('LinkedIn', answer);
  if (kind === 'unavailable') {
    const message = `LinkedIn no longer serves version ${API_VERSION} of its API, which this release of Carillon speaks: whoever runs this install has to update it. Nothing was posted.`;
    return new PlatformFailure(kind, message);
  }
  const verb = kind === 'reconnect' ? 'does not take this login' : 'refused';
  return new PlatformFailure(kind, `LinkedIn ${verb}: ${reasonOf(answer)}`);
}

/** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
export function deleteFailure(answer: PlatformAnswer): PlatformFailure {
  return failure(answer, refusedDeleteKind(answer, failureKind(answer), false));
}

/** LinkedIn's error codes for the problems of a call, such as DUPLICATE_POST. */
export function inputErrorsOf({ body }: PlatformAnswer): readonly string[] {
  const parsed = InputErrors.safeParse(body);
  return (parsed.data?.errorDetails.inputErrors ?? []).flatMap(({ code }) => (code === undefined ? [] : [code]));
}

/** LinkedIn's own reason for refusing a call. */
export function reasonOf({ status, body }: PlatformAnswer): string {
  const [first] = InputErrors.safeParse(body).data?.errorDetails.inputErrors ?? [];
  const words = stringField(body, 'message') ?? first?.description ?? stringField(body, 'error_description');
  return platformWords(words ?? stringField(body, 'code') ?? `HTTP ${status}`);
}

function failureKind(answer: PlatformAnswer): FailureKind {
  const { status } = answer;
  if (isWebPage(answer) && status !== 429) return 'unknown';
  if (status === 403) {
    const words = reasonOf(answer);
    return ABOUT_CONTENT.test(words) && !ABOUT_ACCESS.test(words) ? 'rejected' : 'reconnect';
  }
  return STATUSES.get(status) ?? (status >= 400 && status < 500 ? 'rejected' : 'unknown');
}
