/** The address of a server as people type it: scheme and host, with nothing behind them. */
import { z } from 'zod';

const EXPECTED = 'the address of a server without a path, such as https://social.example';

/** A checked address of a server; {@link originOf} gives its normal form. */
export const ServerAddress = z.url({ protocol: /^https?$/, error: EXPECTED }).refine(hasOriginOnly, EXPECTED);

/** Scheme, host and port in normal form, without a slash at the end. */
export function originOf(address: string): string {
  return new URL(address).origin;
}

function hasOriginOnly(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.href === `${url.origin}/`;
}

/** What people type for a server, as an address: `social.example`, also where it follows a name and an @. */
export function withScheme(typed: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(typed)) return typed;
  return `https://${typed.slice(typed.lastIndexOf('@') + 1)}`;
}
