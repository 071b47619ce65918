/** Resolves the secret of a request to a Caller, and counts the request if asked to. */
import type { Admission, WithKeyChecks } from './key-checks.ts';
import { hashSecret } from '../secrets.ts';
import { SECRET_LETTERS } from './key-secret.ts';

export { countRequest } from './key-checks.ts';

/** Every valid form of a secret; anything else is rejected without a query. */
const SECRET = new RegExp(`^crl_(?:live|test)_${SECRET_LETTERS}$`);

/**
 * Checks a secret against the stored keys on every request, so that a revocation takes effect on the next request in
 * every process. With `bucket`, the request is counted in the same round trip.
 *
 * @returns null when the key is missing, malformed, unknown or revoked.
 */
export async function authenticate(
  context: WithKeyChecks,
  secret: string | undefined,
  bucket?: string,
): Promise<Admission | null> {
  if (secret === undefined || !SECRET.test(secret)) return null;
  return context.keyChecks.check(hashSecret(secret), bucket);
}
