/** Translates the refusals of Express and its body parsers into our errors: unreadable addresses and bodies. */
import type { ErrorCode } from '../errors/codes.ts';
import { ServiceError } from '../errors/service-error.ts';

const CODES: Readonly<Record<number, ErrorCode>> = { 413: 'request_too_large', 415: 'unsupported_content_type' };

/**
 * @param thrown anything an Express handler received
 * @returns the refusal, with the code invalid_request, request_too_large or unsupported_content_type; `thrown` itself
 *   unless the framework marked it as the caller's fault
 */
export function frameworkError(thrown: unknown): unknown {
  const { status } = (thrown ?? {}) as { status?: unknown };
  if (thrown instanceof ServiceError || typeof status !== 'number' || status < 400 || status >= 500) return thrown;
  const message =
    thrown instanceof URIError ? 'The address holds bytes that are not UTF-8; percent-encode it as UTF-8.' : undefined;
  return new ServiceError(CODES[status] ?? 'invalid_request', message, { cause: thrown });
}
