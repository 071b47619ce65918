/** Maps the address of a caller to the machine that limits count. */
import ipaddr from 'ipaddr.js';
import { withoutPort } from './without-port.ts';

/** All callers without a valid address count as one, so that no caller gets past a limit by sending none. */
const UNKNOWN = 'unknown';

/**
 * The holder of one IPv6 address usually controls every address of its /64.
 *
 * @param given the address, as the connection or a proxy gives it, also with a port; undefined when the connection has closed
 */
export function networkOf(given: string | undefined): string {
  const address = withoutPort(given ?? '');
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
