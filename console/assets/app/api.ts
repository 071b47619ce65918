/** Calls the service as its typed clients do: tRPC over HTTP, with the key in a header and nowhere else. */
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

/** A call that failed, in words for the person at the desk. */
export class CallFailure extends Error {
  override name = 'CallFailure';
  /** One of the codes of /docs/errors; null when the service did not answer. */
  readonly code: string | null;
  readonly hint: string | null;

  constructor(code: string | null, message: string, hint: string | null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** What a tRPC answer holds. */
interface Answer {
  readonly result?: { readonly data: unknown };
  readonly error?: { readonly message: string; readonly data?: { readonly error?: ErrorBody } };
}

/** A way to the service with one key. */
export class Api {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** Reads. */
  async query<Resource extends keyof Outputs, Name extends keyof Outputs[Resource] & keyof Inputs[Resource]>(
    resource: Resource,
    name: Name,
    input: Inputs[Resource][Name],
  ): Promise<Outputs[Resource][Name]> {
    const search = new URLSearchParams({ input: JSON.stringify(input) });
    const hint = 'Check that the service runs and that you are online, then try again.';
    return this.#call(`/trpc/${String(resource)}.${String(name)}?${search}`, {}, hint);
  }

  /**
   * Changes something.
   *
   * @param lostHint what to do when no answer comes, as it may have happened all the same
   */
  async mutate<Resource extends keyof Outputs, Name extends keyof Outputs[Resource] & keyof Inputs[Resource]>(
    resource: Resource,
    name: Name,
    input: Inputs[Resource][Name],
    lostHint = 'It may have happened all the same: look at your posts and connections before you try again.',
  ): Promise<Outputs[Resource][Name]> {
    const init = { method: 'POST', body: JSON.stringify(input), headers: { 'content-type': 'application/json' } };
    return this.#call(`/trpc/${String(resource)}.${String(name)}`, init, lostHint);
  }

  async #call<Output>(
    path: string,
    init: RequestInit & { headers?: Record<string, string> },
    lostHint: string,
  ): Promise<Output> {
    const headers = { ...init.headers, 'x-api-key': this.#key };
    let response: Response;
    let answer: Answer;
    try {
      response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' });
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
    const body = answer.error?.data?.error;
    throw new CallFailure(
      body?.error ?? null,
      body?.message ?? answer.error?.message ?? `The service answered HTTP ${response.status}.`,
      body?.hint ?? null,
    );
  }
}
