/** The signature of a delivery (docs/contract/webhooks.md#signatures). Pure. */
import { createHmac } from 'node:crypto';

/**
 * Value of the header x-service-signature.
 *
 * @param body the exact body of the request
 * @param secret the webhook's secret, with its prefix
 */
export function sign(body: string, secret: string, now: Date): string {
  const t = Math.floor(now.getTime() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${v1}`;
}
