/**
 * The API key of a request: x-api-key, else Authorization: Bearer; with both, x-api-key counts
 * (docs/contract/profiles-and-keys.md#who-reaches-what).
 */
import type { IncomingHttpHeaders } from 'node:http';

export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const apiKey = headers['x-api-key'];
  if (apiKey !== undefined) return String(apiKey).trim();
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
