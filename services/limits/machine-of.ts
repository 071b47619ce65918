/** What is counted as one machine, by the address it calls from. */
import ipaddr from 'ipaddr.js';

/** Whoever has one IPv6 address has the 2^64 beside it too. */
export function machineOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
