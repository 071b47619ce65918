/** Calls LinkedIn's versioned API and maps its error responses to failures. */
import { z } from 'zod';
import type { FetchInit, PlatformIo } from '../contract.ts';
import { errorResponses } from '../error-responses.ts';
import { callPlatform, isProxyPage, type PlatformAnswer, platformWords, stringField } from '../http.ts';

/** API version; LinkedIn supports each for about a year. */
export const API_VERSION = '202607';

const OUTDATED = `LinkedIn no longer serves version ${API_VERSION} of its API, which this release of Carillon uses: the operator of this install must update it. Nothing was posted.`;

export interface LinkedInCall {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly json?: unknown;
  /** The Rest.li method, if the HTTP method does not determine it. */
  readonly restli?: 'FINDER' | 'DELETE';
}

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

/** Whether a response says that a post or comment is deleted, or was before. */
export function isGone(answer: PlatformAnswer): boolean {
  return isOk(answer) || answer.status === 404;
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

export const { failure, requireDeleted } = errorResponses<PlatformAnswer>({
  name: 'LinkedIn',
  statuses: new Map([
    [401, 'reconnect'],
    // This version of the API is no longer served.
    [426, 'unavailable'],
  ]),
  kindOf: (answer) => {
    if (answer.status !== 403 || isProxyPage(answer)) return undefined;
    const words = reasonOf(answer);
    return ABOUT_CONTENT.test(words) && !ABOUT_ACCESS.test(words) ? 'rejected' : 'reconnect';
  },
  reason: reasonOf,
  unavailable: ({ status }) => (status === 429 ? undefined : { message: OUTDATED }),
});
