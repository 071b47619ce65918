/** Headers of every answer (docs/contract/errors-and-limits.md#headers). */
import type { Config } from '../services/config.ts';

/** How long a browser must use only https for this host: one year. */
const HSTS_SECONDS = 31_536_000;

/** Pages replace the policy with one that allows their own assets. */
export function secureHeaders({ publicUrl }: Pick<Config, 'publicUrl'>): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    // For browsers that do not support frame-ancestors.
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    // Without includeSubDomains: other hosts of the domain do not belong to this install.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }),
  };
}
