/** What a customer on the hosted page is told of a failure. Of our network they learn nothing: that is for the operator and callers of the API. */
import { NotSentError } from '../../platforms/http.ts';

const UNREACHABLE = 'The server could not be reached. Check its address, or try again later.';

/** Causes that are looked at. */
const DEPTH_MAX = 10;

export function customerMessage(error: Error): string {
  let cause: unknown = error;
  for (let depth = 0; depth < DEPTH_MAX && cause instanceof Error; depth += 1) {
    // It says how a name resolves, and which setting would let it through.
    if (cause instanceof NotSentError) return UNREACHABLE;
    cause = cause.cause;
  }
  return error.message;
}
