/** Removes the port that some proxies add to an address in X-Forwarded-For, such as Azure Application Gateway. */

/** `203.0.113.7:51234`. */
const IPV4_AND_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;

/** `[2001:db8::1]:443`, and `[2001:db8::1]`. */
const IPV6_IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;

/** @returns anything else unchanged */
export function withoutPort(address: string): string {
  return (IPV4_AND_PORT.exec(address) ?? IPV6_IN_BRACKETS.exec(address))?.[1] ?? address;
}
