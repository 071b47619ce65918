/**
 * Limits /mcp to our own host and origin, and to this machine. A page of another site must not reach an install on its
 * visitor's machine, neither directly nor through its own host name (DNS rebinding).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';

/** Gives the reason for a refusal; null when Host and Origin are ours. Only browsers send an Origin. */
export type OriginGuard = (headers: IncomingHttpHeaders) => string | null;

const FOREIGN_HOST = 'The Host header names another server than this one; PUBLIC_URL says which it is.';

/** @param publicUrl origin under which people reach this install */
export function createOriginGuard(publicUrl: string): OriginGuard {
  const loopback = localhostAllowedHostnames();
  const hostnames = [new URL(publicUrl).hostname, ...loopback];
  return ({ host, origin }) => {
    if (!validateHostHeader(host, hostnames).ok) return FOREIGN_HOST;
    if (origin === undefined || origin === publicUrl || isPageOf(loopback, origin)) return null;
    return 'Pages of this Origin may not use this endpoint.';
  };
}

function isPageOf(hostnames: readonly string[], origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && ['http:', 'https:'].includes(url.protocol) && hostnames.includes(url.hostname);
}

/** Headers that let permitted pages read the answers; none for requests without an Origin. */
export function corsHeaders({ origin, ...headers }: IncomingHttpHeaders): Record<string, string> {
  if (origin === undefined) return {};
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
  };
}

/** Whether the request is a CORS preflight, which carries no key. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
