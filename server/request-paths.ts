/** Which part of the service a URL is for. */
import type { IncomingMessage } from 'node:http';
import { isBeside } from './rest-routes.ts';

/** What a request to an operation asks for. */
export interface RestTarget {
  /** Below the API root. */
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
}

/** A request line may name the whole address, as one to a proxy does. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const API_ROOT = /^\/api\/v2(?=[/?#]|$)/i;
const TRPC_PATH = /^\/trpc(?=[/?#]|$)/i;
const MCP_PATH = /^\/mcp(?=[/?#]|$)/i;

export function withoutOrigin(url: string): string {
  return url.replace(ORIGIN, '');
}

export function isForMcp(url: string): boolean {
  return MCP_PATH.test(url);
}

/** Whether pages of every origin may read the answer. */
export function isForApi(url: string): boolean {
  return API_ROOT.test(url) || TRPC_PATH.test(url);
}

/** Null for a request that is not for an operation. */
export function operationTarget({ method = '', url = '' }: IncomingMessage): RestTarget | null {
  if (!API_ROOT.test(url)) return null;
  const rest = url.slice('/api/v2'.length);
  const target = splitUrl(rest.startsWith('/') ? rest : `/${rest}`);
  return isBeside(method, target.path) ? null : target;
}

/** Splits at the first question mark, because a query may contain more. */
export function splitUrl(url: string): RestTarget {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}
