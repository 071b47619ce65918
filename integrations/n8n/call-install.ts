/** Calls the install of the credential, and turns its errors into those that n8n shows. */
import { NodeApiError, type Node, type RequestOptions } from 'n8n-workflow';

/** What each context of n8n has for requests. */
interface Caller {
  getCredentials(name: string): Promise<Readonly<Record<string, unknown>>>;
  getNode(): Node;
  readonly helpers: {
    httpRequestWithAuthentication(this: never, credential: string, options: RequestOptions): Promise<unknown>;
  };
}

/** The error of an install: what was wrong, and what to do. */
interface Problem {
  readonly error?: string;
  readonly message?: string;
  readonly hint?: string;
}

type Call = Omit<RequestOptions, 'url'> & { readonly path: string };

/**
 * @param item number of the input item that the call is for
 * @returns the body of the answer
 * @throws NodeApiError with the message and the hint of the install
 */
export async function callInstall<Body>(context: Caller, { path, ...call }: Call, item?: number): Promise<Body> {
  const { url } = await context.getCredentials('carillonApi');
  const request = { json: true, ...call, url: `${String(url).replace(/\/+$/, '')}/api/v2${path}` };
  try {
    return (await context.helpers.httpRequestWithAuthentication.call(context as never, 'carillonApi', request)) as Body;
  } catch (error) {
    // n8n has made its own error of the answer, with its own words.
    const options = item === undefined ? {} : { itemIndex: item };
    const failure =
      error instanceof NodeApiError ? error : new NodeApiError(context.getNode(), error as object, options);
    const { message, hint } = problemOf(error);
    if (message !== undefined) failure.message = message;
    if (hint !== undefined) failure.description = hint;
    throw failure;
  }
}

function problemOf(error: unknown): Problem {
  const { response, context } = error as {
    readonly response?: { readonly data?: unknown; readonly body?: unknown };
    readonly context?: { readonly data?: unknown };
  };
  const body = response?.data ?? response?.body ?? context?.data;
  return typeof body === 'object' && body !== null ? (body as Problem) : {};
}
