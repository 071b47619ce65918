/**
 * The message that a customer on the hosted page gets for a failure. It reveals nothing about our network; those
 * details are for the operator and API callers.
 */
import { NotSentError } from '../../platforms/http.ts';

const UNREACHABLE = 'The server could not be reached. Check its address, or try again later.';

/** Maximum number of nested causes that are inspected. */
const DEPTH_MAX = 10;

export function customerMessage(error: Error): string {
  let cause: unknown = error;
  for (let depth = 0; depth < DEPTH_MAX && cause instanceof Error; depth += 1) {
    // Its message contains the resolved addresses, and the setting that would allow the request.
    if (cause instanceof NotSentError) return UNREACHABLE;
    cause = cause.cause;
  }
  return error.message;
}
