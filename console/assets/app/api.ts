/**
 * Calls the service as its typed clients do: tRPC over HTTP. An API key is sent in a header only; without one, the
 * sign-in cookie authenticates.
 */
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { ErrorBody } from '../../../errors/error-body.ts';
import type { AppRouter } from '../../../routers/index.ts';

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

export type Connection = Outputs['connections']['list']['connections'][number];
export type Platform = Outputs['platforms']['list']['platforms'][number];
export type Post = Outputs['posts']['list']['posts'][number];
export type PostResult = Outputs['posts']['create']['results'][number];
export type Attempt = Outputs['posts']['attempts']['attempts'][number];
export type CreatePostInput = Inputs['posts']['create'];
export type ConnectInput = Inputs['connections']['connect'];

/** A failed call, with a message for the user. */
export class CallFailure extends Error {
  override name = 'CallFailure';
  /** One of the codes of /docs/errors; null when the service did not respond. */
  readonly code: string | null;
  readonly hint: string | null;

  constructor(code: string | null, message: string, hint: string | null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Body of a tRPC response, or only our error for calls that tRPC did not process. */
interface Answer {
  readonly result?: { readonly data: unknown };
  readonly error?: ErrorBody['error'] | { readonly message: string; readonly data?: { readonly error?: ErrorBody } };
}

/** The origin of the calls and their authentication. */
interface Way {
  readonly path: '/trpc' | '/owner/trpc';
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: 'omit' | 'same-origin';
}

export function wayOfKey(key: string): Way {
  return { path: '/trpc', headers: { 'x-api-key': key }, credentials: 'omit' };
}

/** @param token CSRF token of the page, sent together with the cookie */
export function wayOfOwner(token: string): Way {
  return { path: '/owner/trpc', headers: { 'x-carillon-csrf': token }, credentials: 'same-origin' };
}

/** A client with one API key or with the sign-in. */
export class Api {
  readonly #way: Way;

  constructor(way: Way) {
    this.#way = way;
  }

  /** Calls a query. */
  async query<Resource extends keyof Outputs, Name extends keyof Outputs[Resource] & keyof Inputs[Resource]>(
    resource: Resource,
    name: Name,
    input: Inputs[Resource][Name],
  ): Promise<Outputs[Resource][Name]> {
    const hint = 'Check that the service runs and that you are online, then try again.';
    const operation = `${String(resource)}.${String(name)}`;
    if (this.#way.path === '/owner/trpc') return this.#call(operation, posted(input), hint);
    const search = new URLSearchParams({ input: JSON.stringify(input) });
    return this.#call(`${operation}?${search}`, {}, hint);
  }

  /**
   * Calls a mutation.
   *
   * @param lostHint advice when no response arrives, because the mutation may have been applied
   */
  async mutate<Resource extends keyof Outputs, Name extends keyof Outputs[Resource] & keyof Inputs[Resource]>(
    resource: Resource,
    name: Name,
    input: Inputs[Resource][Name],
    lostHint = 'It may have happened all the same: look at your posts and connections before you try again.',
  ): Promise<Outputs[Resource][Name]> {
    return this.#call(`${String(resource)}.${String(name)}`, posted(input), lostHint);
  }

  async #call<Output>(
    operation: string,
    init: RequestInit & { headers?: Record<string, string> },
    lostHint: string,
  ): Promise<Output> {
    const { path, credentials } = this.#way;
    const headers = { ...init.headers, ...this.#way.headers };
    let response: Response;
    let answer: Answer;
    try {
      response = await fetch(`${path}/${operation}`, { ...init, headers, credentials, cache: 'no-store' });
    } catch {
      throw new CallFailure(null, 'The service did not answer.', lostHint);
    }
    try {
      answer = (await response.json()) as Answer;
    } catch {
      throw new CallFailure(
        null,
        `The service answered HTTP ${response.status} with something that is not its own.`,
        lostHint,
      );
    }
    if (answer.result !== undefined) return answer.result.data as Output;
    throw failureOf(answer, response.status);
  }
}

function posted(input: unknown): { method: 'POST'; body: string; headers: Record<string, string> } {
  return { method: 'POST', body: JSON.stringify(input), headers: { 'content-type': 'application/json' } };
}

function failureOf(answer: Answer, status: number): CallFailure {
  const { error } = answer;
  const unsaid = `The service answered HTTP ${status}.`;
  if (typeof error !== 'object') {
    const { message } = answer as Partial<ErrorBody>;
    return new CallFailure(error ?? null, message ?? unsaid, 'Copy what you have typed, then reload the page.');
  }
  const body = error.data?.error;
  return new CallFailure(body?.error ?? null, body?.message ?? error.message, body?.hint ?? null);
}
