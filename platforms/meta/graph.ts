/** Meta's Graph API, which Facebook, Instagram and Threads share: calls it and maps its error responses to failures. */
import { z } from 'zod';
import type { FailureKind, PlatformIo } from '../contract.ts';
import { type ErrorResponses, errorResponses } from '../error-responses.ts';
import { callPlatform, isTemporary, type PlatformAnswer, platformWords, retryAfterMsOf } from '../http.ts';

/** Version of graph.facebook.com; Meta supports a version for about two years. */
export const GRAPH_VERSION = 'v26.0';

/** A platform that uses the Graph API. */
export interface GraphPlatform {
  /** The platform's display name. */
  readonly name: string;
  /** Failure kinds of the platform's own subcodes; they override the shared ones. */
  readonly subcodes?: ReadonlyMap<number, FailureKind>;
}

/** An error of the Graph API. */
const GraphError = z.object({
  error: z.object({
    message: z.string().optional().catch(undefined),
    code: z.number(),
    error_subcode: z.number().optional().catch(undefined),
    /** Whether the same call may succeed later. */
    is_transient: z.boolean().optional().catch(undefined),
    /** Message for the user, if it says more than `message`. */
    error_user_msg: z.string().optional().catch(undefined),
  }),
});

export interface GraphAnswer extends PlatformAnswer {
  /** Null when there is no error, and when the response did not come from the Graph API. */
  readonly error: z.infer<typeof GraphError>['error'] | null;
}

export interface GraphCall {
  /** Defaults to GET. */
  readonly method?: 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Sent as multipart/form-data. */
  readonly form?: FormData;
  /** Sent as application/x-www-form-urlencoded. */
  readonly urlencoded?: URLSearchParams;
}

/** Error codes for an access token that has expired or was revoked. */
const DEAD_TOKENS: ReadonlySet<number> = new Set([102, 190]);

/** Error codes for too many calls: for the application, the user, the Page or the business. */
const RATE_LIMITS = [4, 17, 32, 341, 613, 80_001, 80_002];

/** Failure kinds by code, and by subcode if that is more specific. {@link graphFailures} decides the others. */
const BY_CODE = new Map<number, FailureKind>([
  // The token is invalid.
  [102, 'reconnect'],
  [190, 'reconnect'],
  // A permission is missing.
  [10, 'reconnect'],
  ...Array.from({ length: 100 }, (_, index): [number, FailureKind] => [200 + index, 'reconnect']),
  ...RATE_LIMITS.map((code): [number, FailureKind] => [code, 'unavailable']),
  // An internal error, possibly after the post was stored.
  [1, 'unknown'],
  [2, 'unknown'],
  // Policy violations and duplicates; Meta flags some of them as transient.
  [368, 'rejected'],
  [506, 'rejected'],
]);
const BY_SUBCODE = new Map<number, FailureKind>([
  // Posts in too quick succession.
  [1_390_008, 'unavailable'],
  // Content that violates policies.
  [1_346_003, 'rejected'],
  [1_404_102, 'rejected'],
  [1_404_112, 'rejected'],
]);

/** Calls a URL of the Graph API; ids in it must be URL-encoded. @param accessToken null for calls of the app itself */
export async function callGraph(
  io: PlatformIo,
  accessToken: string | null,
  address: string,
  call: GraphCall = {},
): Promise<GraphAnswer> {
  const url = new URL(address);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (accessToken !== null) headers['authorization'] = `Bearer ${accessToken}`;
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  const json = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  const form = call.form ?? call.urlencoded;
  const body = form === undefined ? json : { body: form };
  const answer = await callPlatform(io, url, { method: call.method ?? 'GET', headers, ...body });
  return { ...answer, error: errorOf(answer, accessToken ?? call.query?.['access_token']) };
}

/** The failures of a platform that uses the Graph API. */
export function graphFailures({ name, subcodes }: GraphPlatform): ErrorResponses<GraphAnswer> {
  const wordsOf = ({ error }: GraphAnswer) => error?.error_user_msg ?? error?.message;
  return errorResponses<GraphAnswer>({
    name,
    statuses: new Map(),
    kindOf: (answer) => {
      const { status, error } = answer;
      if (error === null) return undefined;
      const subcode = error.error_subcode ?? 0;
      const known = subcodes?.get(subcode) ?? BY_SUBCODE.get(subcode) ?? BY_CODE.get(error.code);
      if (known !== undefined || status === 429) return known;
      return isTemporary(answer) || error.is_transient === true ? 'unknown' : 'rejected';
    },
    isOwn: ({ error }) => error !== null,
    isTokenDead: ({ error }) => DEAD_TOKENS.has(error?.code ?? 0),
    reason: (answer) => platformWords(wordsOf(answer) ?? `HTTP ${answer.status}`),
    unavailable: (answer) => {
      const words = wordsOf(answer);
      if (words === undefined) return undefined;
      const message = `${name} accepts nothing for now; nothing was posted. ${platformWords(words)}`;
      if (!isRateLimit(answer)) return { message, retryAfterMs: retryAfterMsOf(answer) };
      return { message, retryAfterMs: retryAfterMsOf({ ...answer, status: 429 }, secondsToAccess(answer)) };
    },
  });
}

function isRateLimit({ status, error }: GraphAnswer): boolean {
  return status === 429 || (error !== null && RATE_LIMITS.includes(error.code));
}

/** The header that says how much of each rate limit is used, by the id of who has it. */
const Usage = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().nonnegative().catch(0) })),
);

/** Seconds until the rate limit that was reached ends, by the header of business use cases; undefined without it. */
function secondsToAccess({ headers }: GraphAnswer): number | undefined {
  const usage = Usage.safeParse(parsed(headers.get('x-business-use-case-usage')));
  if (!usage.success) return undefined;
  const limits = Object.values(usage.data).flat();
  const minutes = Math.max(0, ...limits.map((limit) => limit.estimated_time_to_regain_access));
  return minutes === 0 ? undefined : Math.ceil(minutes * 60);
}

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return null;
  }
}

/** Whether a response says that the object does not exist, or is not visible with this token. */
export function isMissing({ error }: GraphAnswer): boolean {
  return error?.code === 100 && error.error_subcode === 33;
}

/**
 * Reads the error of a response. The Graph API repeats tokens that it cannot parse, and messages are shown to
 * users.
 */
function errorOf({ body }: PlatformAnswer, accessToken: string | undefined): GraphAnswer['error'] {
  const parsed = GraphError.safeParse(body);
  if (!parsed.success) return null;
  const { message, error_user_msg: forPeople, ...rest } = parsed.data.error;
  const hidden = (words: string) => (accessToken === undefined ? words : words.replaceAll(accessToken, '…'));
  return {
    ...rest,
    ...(message !== undefined && { message: hidden(message) }),
    ...(forPeople !== undefined && { error_user_msg: hidden(forPeople) }),
  };
}
