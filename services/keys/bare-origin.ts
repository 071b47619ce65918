/** Bare origins: where a key's connect sessions may return to, named by scheme, host and port alone. */

const BARE = /^https?:\/\/[^\s/?#@\\*]+\/?$/i;

/** Hosts that may be named without TLS: the developer's own machine. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Brings an origin into the one form it is compared in: small letters, no default port, no slash at its end.
 *
 * @returns null for what is no bare origin of https, or of http on this machine
 */
export function bareOrigin(text: string): string | null {
  if (!BARE.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, origin } = new URL(text);
  return protocol === 'https:' || LOCAL_HOST.test(hostname) ? origin : null;
}
