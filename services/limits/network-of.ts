/** Maps the address of a caller to the machine that limits count. */
import ipaddr from 'ipaddr.js';

/** The holder of one IPv6 address usually controls every address of its /64. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
