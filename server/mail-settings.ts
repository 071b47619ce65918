/** SMTP_URL and SMTP_FROM: the operator's mail server, and the sender address of messages. */
import type { MailConfig } from '../services/config.ts';

/** Submission ports, by scheme (RFC 8314). */
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Reads `smtps://user:password@host:port` or `smtp://…`. The latter uses TLS when the server offers it, and requires it
 * before it sends a password to another machine.
 *
 * @throws Error saying what is wrong, without the value: it holds a password
 */
export function parseSmtpUrl(value: string): MailConfig['server'] {
  const url = URL.parse(value);
  const port = PORTS[url?.protocol ?? ''];
  if (
    url === null ||
    port === undefined ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.search ||
    url.hash
  ) {
    throw new Error('must be smtps://user:password@host:port or smtp://…, with nothing behind the port');
  }
  const secure = url.protocol === 'smtps:';
  const [user, password] = [url.username, url.password].map(decoded);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? port : Number(url.port),
    secure,
    requireTls: !secure && user !== '' && !LOOPBACK.test(url.hostname),
    ...(user !== '' && { user, password }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('has a % in its user or password that must be written as %25');
  }
}

/**
 * Reads `posts@bells.example` or `The Bells <posts@bells.example>`.
 *
 * @throws Error saying what is expected
 */
export function parseSmtpFrom(value: string): MailConfig['from'] {
  const [, name = '', inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(value.trim()) ?? [];
  const address = (inBrackets ?? value).trim();
  if (!/^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/.test(address) || /\p{Cc}/u.test(value)) {
    throw new Error('must be an address such as posts@bells.example, or The Bells <posts@bells.example>');
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
