/** Creates a typed client: every operation of the service, over /trpc. */
import { createTRPCClient, httpBatchLink, httpLink, type Operation, splitLink } from '@trpc/client';
import type { Inputs, Kinds, Outputs } from './api-types.ts';
import {
  answered,
  connect,
  type Connection,
  type ConnectionOptions,
  errorOfAnswer,
  errorOfText,
  rememberConnection,
  send,
} from './connection.ts';
import { repeatCalls } from './repeat-calls.ts';
import type { RetryOptions } from './retry-policy.ts';
import type { AppRouter } from './router-type.ts';

export type ClientOptions = ConnectionOptions & CallSettings;

interface CallSettings {
  /** Most calls in one HTTP request. Default 20; the server accepts 100. */
  readonly maxBatchSize?: number;
  /** How calls that may be repeated are repeated; false for one try of each. */
  readonly retry?: RetryOptions | false;
}

export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

/** One call of an operation: `query` of those that read, `mutate` of those that change. */
type Call<Kind, Input, Output> = Kind extends 'query'
  ? { readonly query: (input: Input, options?: CallOptions) => Promise<Output> }
  : { readonly mutate: (input: Input, options?: CallOptions) => Promise<Output> };

/** Inputs, outputs and kinds have the same entries. */
type Resource = keyof Inputs;

/** Every operation: `client.posts.create.mutate(…)`, `client.posts.list.query(…)`. */
export type CarillonClient = {
  readonly [R in Resource]: {
    readonly [O in keyof Inputs[R] & keyof Outputs[R] & keyof Kinds[R]]: Call<Kinds[R][O], Inputs[R][O], Outputs[R][O]>;
  };
};

/** Longest address of a request with several reads. A single read whose address is longer is sent alone. */
const ADDRESS_MAX = 6_000;

/** Calls whose bodies may be as large as the service takes, which is more for an image alone: together they would be too large. */
const LARGE_OPERATIONS: readonly string[] = ['media.upload', 'imports.start'];

/** Largest body of a batch that the service takes: 1 MiB. */
const BATCH_MAX_BYTES = 1_048_576;

/** What a batch adds to each input: its number, a colon, quotation marks and a comma, and its part of the braces. */
const BYTES_AROUND_INPUT = 10;

/**
 * Creates a client. Calls made in the same turn of the event loop are sent as one batch; each counts in its own bucket.
 *
 * A failed call throws a `TRPCClientError`; {@link errorBodyOf} finds the error of the service in it.
 */
export function createClient(options: ClientOptions): CarillonClient {
  const { url, maxBatchSize = 20, retry = {} } = options;
  const connection = connect(options);
  const http = {
    url: new URL('/trpc', url).href,
    headers: () => connection.credential(),
    fetch: (input: string | URL | Request, init?: object) => wholeAnswer(connection, String(input), init ?? {}),
  };
  const client = createTRPCClient<AppRouter>({
    links: [
      repeatCalls(connection, retry),
      splitLink({
        condition: (op) => isSentAlone(op, http.url, maxBatchSize),
        true: httpLink(http),
        false: httpBatchLink({ ...http, maxItems: maxBatchSize, maxURLLength: ADDRESS_MAX }),
      }),
    ],
  });
  rememberConnection(client, connection);
  return client;
}

/** Whether a read has a longer address than a batch, or a change could make a full batch larger than the service takes. */
function isSentAlone({ path, type, input }: Operation, url: string, maxBatchSize: number): boolean {
  if (LARGE_OPERATIONS.includes(path)) return true;
  if (input === undefined) return false;
  // tRPC refuses a read that is too long for a batch without sending it.
  if (type === 'query') return addressInBatch(url, path, input).length > ADDRESS_MAX;
  const { length } = new TextEncoder().encode(JSON.stringify(input));
  return (length + BYTES_AROUND_INPUT) * maxBatchSize > BATCH_MAX_BYTES;
}

function addressInBatch(url: string, path: string, input: unknown): string {
  return `${url}/${path}?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: input }))}`;
}

/** The answer, with its body read, so that a connection that breaks meanwhile is the same error in all runtimes. */
async function wholeAnswer(connection: Connection, url: string, init: RequestInit): Promise<Response> {
  const response = await send(connection, url, init);
  if (!response.ok && !isJson(response)) throw await errorOfAnswer(connection, response);
  const text = await answered(url, init.signal, () => response.text());
  if (!response.ok && !isOfCalls(text)) throw errorOfText(connection, response, text);
  const { status, headers } = response;
  return new Response(text, { status, headers });
}

/** Whether JSON answers calls. A request that fails before its calls are read gets the error body of the service, or of a proxy. */
function isOfCalls(text: string): boolean {
  try {
    const answers = [JSON.parse(text) as { result?: unknown; error?: unknown } | null].flat();
    return answers.every((answer) => answer?.result !== undefined || typeof (answer?.error ?? '') === 'object');
  } catch {
    return false;
  }
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('json') === true;
}
