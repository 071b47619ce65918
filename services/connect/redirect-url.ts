/** Validates the addresses that customers may return to from the hosted page, and adds the result to them. */
import { isPublicHost } from '../public-host.ts';

/** Maximum length of an address; with the added parameters it stays below the limits of browsers and servers. */
export const REDIRECT_URL_MAX = 2_000;

/** The characters of an address (RFC 3986), and the printable non-ASCII ones of an internationalized one (RFC 3987). */
const ADDRESS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=%]|(?!\p{ASCII})[\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u;

/** The rule that an address breaks, as the expected form; null when it is allowed. */
export function redirectUrlProblem(text: string): string | null {
  const url = ADDRESS.test(text) ? URL.parse(text) : null;
  if (url === null) return 'an address such as https://app.example/connected';
  const { length } = asciiAddress(text);
  if (length > REDIRECT_URL_MAX && text.length <= REDIRECT_URL_MAX)
    return `at most ${REDIRECT_URL_MAX} characters once it is encoded, not ${length}`;
  if (text.includes('#')) return 'an address without a fragment (#)';
  if (url.username !== '' || url.password !== '') return 'an address without user name and password';
  if (url.protocol === 'http:') return url.hostname === 'localhost' ? null : 'https; plain http is for localhost only';
  if (url.protocol !== 'https:') return 'an https address';
  return isPublicHost(url.hostname) ? null : 'a host on the public internet';
}

/**
 * An address in the form that a header can carry. An internationalized one gets its host in Punycode and the rest
 * percent-encoded; any other is unchanged.
 */
export function asciiAddress(address: string): string {
  return /^\p{ASCII}*$/u.test(address) ? address : new URL(address).href;
}

/** The address, ready for a header, with parameters appended to its own; everything else is unchanged. */
export function withParameters(given: string, parameters: Readonly<Record<string, string>>): string {
  const address = asciiAddress(given);
  const added = new URLSearchParams(parameters).toString();
  if (!address.includes('?')) return `${address}?${added}`;
  return /[?&]$/.test(address) ? address + added : `${address}&${added}`;
}
