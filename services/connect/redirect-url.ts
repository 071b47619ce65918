/** Where customers may be sent when they are done with the hosted page, and how the address is made. */
import { isPublicHost } from '../public-host.ts';

/** Longest address; with what is added to it, it stays below what browsers and servers take. */
export const REDIRECT_URL_MAX = 2_000;

/** The characters of an address (RFC 3986), and the visible ones beyond ASCII that an international one has (RFC 3987). */
const ADDRESS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=%]|(?!\p{ASCII})[\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u;

/** Why a customer may not be sent to an address, as what is expected instead; null when it is all right. */
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
 * An address as a header can carry it: an international one with its host in Punycode and the rest in percent-encoding,
 * any other as it is.
 */
export function asciiAddress(address: string): string {
  return /^\p{ASCII}*$/u.test(address) ? address : new URL(address).href;
}

/** The address, ready for a header, with parameters put behind those it has; nothing else of it is touched. */
export function withParameters(given: string, parameters: Readonly<Record<string, string>>): string {
  const address = asciiAddress(given);
  const added = new URLSearchParams(parameters).toString();
  if (!address.includes('?')) return `${address}?${added}`;
  return /[?&]$/.test(address) ? address + added : `${address}&${added}`;
}
