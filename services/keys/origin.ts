/** Validates bare origins, to which a key's connect sessions may return: scheme, host and port only. */

const ORIGIN = /^https?:\/\/[^\s/?#@\\*]+\/?$/i;

/** Hosts that are allowed without TLS: the developer's own machine. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Normalizes an origin for comparison: lowercase, no default port, no trailing slash.
 *
 * @returns null unless it is a bare origin of https, or of http on this machine
 */
export function parseOrigin(text: string): string | null {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, origin } = new URL(text);
  return protocol === 'https:' || LOCAL_HOST.test(hostname) ? origin : null;
}
