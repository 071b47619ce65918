/** What deliveries are signed with (docs/contract/webhooks.md#deliveries). */
import type { Random } from '../clock.ts';

/** What every secret begins with. */
const SECRET_PREFIX = 'whsec_';

export function newWebhookSecret(random: Pick<Random, 'bytes'>): string {
  return SECRET_PREFIX + random.bytes(32).toString('base64url');
}
