/**
 * The part of a client's metadata (RFC 7591) that is kept, whether the client registers or publishes a document.
 * Clients ask for more than the server offers. The standard lets a server register less and say so; refusing would
 * exclude those clients.
 */
import type { Context } from '../../services/context.ts';
import { decodeUtf8 } from '../utf8.ts';

/** Longest document of a client (oidc-provider itself limits registrations). */
export const DOCUMENT_MAX_BYTES = 5 * 1024;

/** Fields that we or oidc-provider read. All others are dropped, so that no unused data is stored. */
const KEPT = ['client_id', 'client_name', 'client_uri', 'redirect_uris', 'jwks', 'jwks_uri'] as const;

const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/**
 * Treats a client without a key as public, even if it asks for a secret: that would have to be stored in clear, and adds
 * nothing to PKCE. Scopes are not registered, because the person is asked each time. Redirects follow the rules of
 * native apps, which allow https, loopback and private schemes, and plain http for no other host.
 */
export function storedMetadata(described: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const metadata = Object.fromEntries(
    KEPT.flatMap((name) => (described[name] === undefined ? [] : [[name, described[name]]])),
  );
  const hasKey = described['token_endpoint_auth_method'] === 'private_key_jwt';
  return {
    ...metadata,
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
 * Fetches a client's document or keys for oidc-provider through the outbound guard. Redirects are not followed, and
 * private networks are reached only when the operator allows it.
 */
export function fetchForProvider(context: Context): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    // Over plain http anyone on the network path could change the document, even if OUTBOUND_ALLOW permits the address.
    if (new URL(url).protocol !== 'https:') throw new Error('documents of clients are fetched over https only');
    const signal = init?.signal ?? undefined;
    const headers = { accept: 'application/json' };
    const response = await context.fetch(url, { headers, ...(signal !== undefined && { signal }) });
    if (response.status !== 200) {
      // oidc-provider looks at the status only. The body is often a page for people, which is not JSON.
      await response.body?.cancel();
      return new Response(null, { status: response.status });
    }
    const body = await boundedText(response);
    const json: unknown = JSON.parse(body);
    const isDocument = typeof json === 'object' && json !== null && 'client_id' in json;
    const { status } = response;
    if (!isDocument) return new Response(body, { status, headers: response.headers });
    return Response.json(hasSecret(json) ? json : storedMetadata(json as Record<string, unknown>), {
      status,
      headers: cacheHeaders(response),
    });
  };
}

/** oidc-provider refuses such a document, so it is passed on unchanged. */
function hasSecret(document: object): boolean {
  const { token_endpoint_auth_method: method } = document as Record<string, unknown>;
  return 'client_secret' in document || (typeof method === 'string' && method.startsWith('client_secret'));
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
  return decodeUtf8(Buffer.concat(chunks));
}
