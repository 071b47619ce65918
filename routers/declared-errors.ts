/** Which error codes an operation can answer: the declared ones, and those that its access and its body add. */
import type { ErrorCode } from '../errors/codes.ts';
import type { OperationMeta } from './meta.ts';

/**
 * Codes that every operation can answer. Also an operation without input refuses a query that is not UTF-8, and arguments on
 * surfaces other than REST.
 */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'too many requests',
  'internal_server_error',
  'storage_unavailable',
];

/** Codes of the operation in no particular order, without duplicates. */
export function declaredErrors(meta: OperationMeta): readonly ErrorCode[] {
  const codes: ErrorCode[] = [...meta.errors, ...ALWAYS];
  // A key with scopes may lack the scope that the operation needs.
  if (meta.access !== 'public') codes.push('unauthorized', 'forbidden');
  if (!['GET', 'DELETE'].includes(meta.openapi.method)) codes.push('request_too_large');
  return [...new Set(codes)];
}
