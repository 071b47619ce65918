/** Whether a host is, by its name or address, reachable from the public internet. Makes no DNS lookup. */
import ipaddr from 'ipaddr.js';

/** Strict host names, so that no host can inject anything into a Content-Security-Policy. */
const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?$/;

/** Names that are local to one machine or one network. */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/;

const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** @param hostname as a URL has it: an IPv6 address in brackets */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(address)) return HOST_NAME.test(hostname) && !PRIVATE_NAME.test(hostname);
  const meant = ipaddr.process(address);
  return meant.range() === 'unicast' && (meant instanceof ipaddr.IPv4 || meant.match(PUBLIC_IPV6));
}
