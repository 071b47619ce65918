/**
 * Decides which addresses the service may call. Pure: it looks nothing up and only checks addresses. Only addresses
 * that are certainly on the public internet pass; all others need the operator's permission.
 */
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network of OUTBOUND_ALLOW: its address and the length of its prefix in bits. */
export type ParsedCidr = readonly [network: Address, prefixBits: number];

/**
 * `public`: on the open internet. `allowed`: inside a network of OUTBOUND_ALLOW, whether public or not. `refused`:
 * neither.
 */
type AddressVerdict = 'public' | 'allowed' | 'refused';

/** All IPv6 space that is allocated to the public internet (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * IPv4 addresses in the form of a NAT64 gateway (RFC 6052, 2.1). IPv6-only hosts reach the public IPv4 internet this
 * way.
 */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Azure's wire server: a public address that answers inside a virtual machine and serves its secrets. */
const azureWireServer = '168.63.129.16';

/**
 * Reads the entries of OUTBOUND_ALLOW: networks such as `10.0.0.0/8` or `fd00::/8`, or single addresses.
 *
 * @throws Error naming the entry that is neither.
 */
export function parseAllowList(value: readonly string[]): ParsedCidr[] {
  return value.map((entry) => {
    const [address = '', bits, ...rest] = entry.trim().split('/');
    const most = isIPv4(address) ? 32 : 128;
    const prefixBits = bits === undefined ? most : Number(bits);
    const isNumber = bits === undefined || /^\d{1,3}$/.test(bits);
    if (!isPlainAddress(address) || !isNumber || prefixBits > most || rest.length > 0) {
      throw new Error(`'${entry}' is neither a network such as 10.0.0.0/8 nor an IP address`);
    }
    return [ipaddr.parse(address), prefixBits];
  });
}

/**
 * Checks one address in the form that the resolver or a normalised URL writes. Any other form (octal, hex, short) is
 * refused, because programs disagree on its meaning.
 */
export function addressVerdict(address: string, allow: readonly ParsedCidr[]): AddressVerdict {
  if (!isPlainAddress(address)) return 'refused';
  const parsed = ipaddr.parse(address);
  // An IPv4-mapped address is the IPv4 address: the system connects to the same place for both.
  const meant = ipaddr.process(address);
  if (allow.some((cidr) => isInside(parsed, cidr) || isInside(meant, cidr))) return 'allowed';
  return isPublic(meant) ? 'public' : 'refused';
}

/** Without a zone such as %eth0, which names a network of this machine. */
function isPlainAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%');
}

function isInside(address: Address, [network, prefixBits]: ParsedCidr): boolean {
  return address.kind() === network.kind() && address.match(network, prefixBits);
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== azureWireServer;
  if (address.match(nat64)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  // The library reports unicast for every address it has no name for, such as ::127.0.0.1.
  return address.range() === 'unicast' && address.match(globalUnicast);
}
