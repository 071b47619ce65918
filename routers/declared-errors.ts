/** Which error codes an operation can answer: the declared ones, and those that its access and its body add. */
import type { ErrorCode } from '../errors/codes.ts';
import type { OperationMeta } from './meta.ts';

/** Codes that every operation can answer. */
const ALWAYS: readonly ErrorCode[] = ['too many requests', 'internal_server_error', 'storage_unavailable'];

/** Codes of the operation in no particular order, without duplicates. */
export function declaredErrors(meta: OperationMeta): readonly ErrorCode[] {
  const codes: ErrorCode[] = [...meta.errors, ...ALWAYS];
  // Surfaces other than REST refuse unknown arguments. A key with scopes may lack the scope that the operation needs.
  if (meta.access !== 'public') codes.push('unauthorized', 'forbidden', 'invalid_request');
  if (!['GET', 'DELETE'].includes(meta.openapi.method)) codes.push('request_too_large');
  return [...new Set(codes)];
}
