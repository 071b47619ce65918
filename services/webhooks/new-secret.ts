/** Generates the secret that signs deliveries (docs/contract/webhooks.md#deliveries). */
import type { Random } from '../clock.ts';

/** Prefix of every secret. */
const SECRET_PREFIX = 'whsec_';

export function newWebhookSecret(random: Pick<Random, 'bytes'>): string {
  return SECRET_PREFIX + random.bytes(32).toString('base64url');
}
