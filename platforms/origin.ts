/** Parses the address of a server as people type it: scheme and host, without a path. */
import { z } from 'zod';

const EXPECTED = 'the address of a server without a path, such as https://social.example';

/** A valid server address; {@link originOf} returns its normal form. */
export const ServerAddress = z.url({ protocol: /^https?$/, error: EXPECTED }).refine(hasOriginOnly, EXPECTED);

/** Scheme, host and port in normal form, without a trailing slash. */
export function originOf(address: string): string {
  return new URL(address).origin;
}

function hasOriginOnly(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.href === `${url.origin}/`;
}

/** Converts typed input to a URL: `social.example`, also as part of `@user@social.example`. */
export function withScheme(typed: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(typed)) return typed;
  return `https://${typed.slice(typed.lastIndexOf('@') + 1)}`;
}
