/** Calls to the operator's endpoints of a running server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CarillonError } from '../client/errors.ts';
import type { ErrorBody } from '../errors/error-body.ts';
import { OPERATOR_TOKEN_FILE } from '../server/operator-token-file.ts';

/** An invalid command; an empty message shows the usage. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** No server answers, or it has never run here. */
export class NoServerError extends Error {
  override name = 'NoServerError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OperatorClient {
  /** @throws Error with a sentence that says what to correct */
  call(method: 'DELETE' | 'GET' | 'PATCH' | 'POST', path: string, body?: unknown): Promise<unknown>;
}

/** The process's fetch function. */
export type Request = typeof globalThis.fetch;

export async function operatorClient(
  request: Request,
  options: { url?: string | undefined },
  env: Environment,
): Promise<OperatorClient> {
  const origin = serverOrigin(options.url ?? localOrigin(env), env);
  const token = env['OPERATOR_TOKEN'] ?? (await keptToken(env['DATA_DIR'] ?? './data'));
  return { call: (method, path, body) => call(request, new URL(`/operator${path}`, origin), { token, method, body }) };
}

/**
 * The operator's endpoints answer only on their own machine, so the public address works only if it belongs to this
 * machine.
 */
function localOrigin({ PUBLIC_URL, PORT = '3000' }: Environment): string {
  // Node.js 20 has no URL.parse.
  const named = PUBLIC_URL === undefined || !URL.canParse(PUBLIC_URL) ? null : new URL(PUBLIC_URL);
  const isHere = named !== null && ['localhost', '127.0.0.1', '[::1]'].includes(named.hostname);
  return isHere ? named.origin : `http://127.0.0.1:${PORT}`;
}

/** The server to call. */
export function serverOrigin(url: string | undefined, env: Environment): string {
  const origin = url ?? env['PUBLIC_URL'] ?? `http://127.0.0.1:${env['PORT'] ?? '3000'}`;
  if (URL.canParse(origin)) return origin;
  throw new UsageError(`--url: expected an origin such as http://localhost:3000, not "${origin}".`);
}

async function keptToken(dataDir: string): Promise<string> {
  try {
    return (await readFile(join(dataDir, OPERATOR_TOKEN_FILE), 'utf8')).trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // A server has run here, under another user.
    if (code !== 'ENOENT')
      throw new Error(
        `The operator's token in ${dataDir} cannot be read (${code}). Run this as the user of the server, or set OPERATOR_TOKEN.`,
        { cause: error },
      );
    throw new NoServerError(
      `There is no operator's token in ${dataDir}. Run this where the server runs, or set OPERATOR_TOKEN.`,
    );
  }
}

async function call(
  request: Request,
  url: URL,
  { token, method, body }: { token: string; method: string; body: unknown },
): Promise<unknown> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await request(url, { method, headers, ...json }).catch((cause: Error) => {
    throw new NoServerError(`No server answers at ${url.origin}. Is it running? --url names another one.`, { cause });
  });
  const answer = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  if (response.ok) return answer;
  if (answer?.error !== undefined) {
    const { status } = response;
    throw new CarillonError(answer.message ?? answer.error, {
      status,
      body: answer as ErrorBody,
      retryAfterMs: undefined,
    });
  }
  throw new Error(`${url.origin} answered HTTP ${response.status}; is it Carillon?`);
}
