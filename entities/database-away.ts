/** Tells whether a query failed because the database went away. It may have been executed, and may succeed later. */
import { HostUnavailable } from './host-client.ts';

/**
 * SQLSTATEs of connections that the server refused or ended (08, 57P01 to 57P05), of a standby (25006), and of a server
 * without free connections (53300).
 */
const AWAY = /^(?:08\w{3}|57P0[1-5]|25006|53300)$/;

/** Codes of Node.js for connections that fail. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The driver has no codes for these. */
const DRIVER = /^(?:Connection terminated|timeout expired$|Client (?:has encountered a connection error|was closed))/;

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof HostUnavailable || DRIVER.test(error.message)) return true;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && (AWAY.test(code) || NETWORK.has(code));
}
