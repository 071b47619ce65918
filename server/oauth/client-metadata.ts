/**
 * What is kept of how a client describes itself (RFC 7591), whether it registers or shows a document. Clients ask for
 * more than there is; the standard lets a server register less and say so, and refusing would lock them out.
 */
import type { Context } from '../../services/context.ts';

/** Longest document of a client (oidc-provider bounds registrations by itself). */
export const DOCUMENT_MAX_BYTES = 5 * 1024;

/** What is read by us or by oidc-provider. All the rest is left out: nothing is stored that nobody uses. */
const KEPT = ['client_id', 'client_name', 'client_uri', 'redirect_uris', 'jwks', 'jwks_uri'] as const;

const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/**
 * A client without a key is a public one, whatever it asked for: a secret would have to be kept in clear, and with PKCE
 * it adds nothing. Scopes are not registered, because the person is asked each time. Redirects are judged as those of a
 * native program, which allows https, loopback and schemes of its own, and plain http to nobody else.
 */
export function keptMetadata(described: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.fromEntries(
    KEPT.flatMap((name) => (described[name] === undefined ? [] : [[name, described[name]]])),
  );
  const hasKey = described['token_endpoint_auth_method'] === 'private_key_jwt';
  return {
    ...kept,
    application_type: 'native',
    grant_types: grantTypes(described['grant_types']),
    response_types: ['code'],
    token_endpoint_auth_method: hasKey ? 'private_key_jwt' : 'none',
  };
}

function grantTypes(asked: unknown): string[] {
  const known = Array.isArray(asked) ? GRANT_TYPES.filter((type) => asked.includes(type)) : GRANT_TYPES;
  return known.includes('authorization_code') ? known : GRANT_TYPES;
}

/**
 * Fetches what oidc-provider asks for, a client's document or its keys, through the outbound guard: redirects are not
 * followed, and networks of our own are reached only where the operator allows it.
 */
export function fetchForProvider(context: Context): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    // Plain http would let anybody on the way write the document, also where OUTBOUND_ALLOW lets it through.
    if (new URL(url).protocol !== 'https:') throw new Error('documents of clients are fetched over https only');
    const signal = init?.signal ?? undefined;
    const headers = { accept: 'application/json' };
    const response = await context.fetch(url, { headers, ...(signal !== undefined && { signal }) });
    const body = await boundedText(response);
    const json: unknown = JSON.parse(body);
    const isDocument = typeof json === 'object' && json !== null && 'client_id' in json;
    const { status } = response;
    if (!isDocument) return new Response(body, { status, headers: response.headers });
    return Response.json(hasSecret(json) ? json : keptMetadata(json as Record<string, unknown>), {
      status,
      headers: cacheHeaders(response),
    });
  };
}

/** Such a document is refused, so it is handed on as it stands. */
function hasSecret(document: object): boolean {
  const { token_endpoint_auth_method: method } = document as Record<string, unknown>;
  return 'client_secret' in document || String(method).startsWith('client_secret');
}

function cacheHeaders({ headers }: Response): Record<string, string> {
  const named = headers.get('cache-control');
  return named === null ? {} : { 'cache-control': named };
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > DOCUMENT_MAX_BYTES) throw new Error(`the document is larger than ${DOCUMENT_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
