/**
 * Opens the connections of outbound HTTP. It resolves a name once, checks the address, and connects to exactly that
 * address. A name that changes its answer between check and use (DNS rebinding) therefore gains nothing.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { NotSentError } from '../platforms/http.ts';
import { addressVerdict, type ParsedCidr } from './outbound-addresses.ts';

/** Finds all addresses of a host name. Rejects as node:dns does, with a `code` such as ENOTFOUND. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Options of the connector. */
interface ConnectorOptions {
  readonly allow: readonly ParsedCidr[];
  /** Milliseconds from the start of the look-up to the end of the TLS handshake. */
  readonly connectTimeoutMs: number;
  readonly lookup: Lookup;
}

const advice = 'list it in OUTBOUND_ALLOW if this install may reach it';

/** Connector for an undici dispatcher that reaches public addresses by https, and OUTBOUND_ALLOW by both schemes. */
export function guardedConnector({ allow, connectTimeoutMs, lookup }: ConnectorOptions): buildConnector.connector {
  const connectorFor = (isEncrypted: boolean): buildConnector.connector => {
    const checked = callbackify(async (hostname: string) =>
      usableAddresses(hostname, await lookup(hostname), isEncrypted, allow),
    );
    const checkedLookup: LookupFunction = (hostname, { all }, callback) => {
      checked(hostname, (error, usable) => {
        if (error !== null) return callback(error, []);
        return all ? callback(null, usable) : callback(null, usable[0].address, usable[0].family);
      });
    };
    // With one request per connection HTTP/2 has no benefit, and HTTP/1.1 failures are simpler to tell apart.
    const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup: checkedLookup });
    return (options, callback) => {
      const family = isIP(options.hostname);
      // net.connect() does no lookup when the host is an address, so the address is checked here.
      if (family !== 0) {
        usableAddresses(options.hostname, [{ address: options.hostname, family }], isEncrypted, allow);
      }
      connect(options, callback);
    };
  };
  const [plain, encrypted] = [connectorFor(false), connectorFor(true)];
  return (options, callback) => (options.protocol === 'https:' ? encrypted : plain)(options, callback);
}

/** @throws NotSentError when none of the addresses may be connected to, saying why */
export function usableAddresses(
  host: string,
  addresses: readonly LookupAddress[],
  isEncrypted: boolean,
  allow: readonly ParsedCidr[],
): [LookupAddress, ...LookupAddress[]] {
  const verdicts = addresses.map((entry) => ({ entry, verdict: addressVerdict(entry.address, allow) }));
  const passing = verdicts.filter(({ verdict }) => (isEncrypted ? verdict !== 'refused' : verdict === 'allowed'));
  const [first, ...others] = passing.map(({ entry }) => entry);
  if (first !== undefined) return [first, ...others];
  const refused = verdicts.find(({ verdict }) => verdict === 'refused')?.entry.address;
  if (refused !== undefined) {
    const what =
      refused === host
        ? `${host} is not a public address`
        : `${host} resolves to ${refused}, which is not a public address`;
    throw new NotSentError(`${what}; ${advice}.`);
  }
  if (verdicts.length === 0) throw new NotSentError(`${host} resolves to no address.`);
  throw new NotSentError(`${host} is allowed over plain http only if its addresses are in OUTBOUND_ALLOW; use https.`);
}

const messagesByCode: Record<string, string> = {
  ENOTFOUND: 'is not a known host name',
  ENODATA: 'is not a known host name',
  EAI_AGAIN: 'could not be looked up, because the name server did not answer',
  ECONNREFUSED: 'refused the connection',
  EHOSTUNREACH: 'cannot be reached from this network',
  ENETUNREACH: 'cannot be reached from this network',
  ETIMEDOUT: 'did not take the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not take the connection in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate that is made out to another name',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
};

/** Says in one sentence why the connection to `host` failed. */
export function connectFailureMessage(host: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = messagesByCode[code];
  if (words !== undefined) return `${host} ${words}.`;
  if (/CERT|ISSUER|SELF_SIGNED/.test(code)) {
    return `${host} shows a certificate that cannot be trusted (${code}); NODE_EXTRA_CA_CERTS adds an authority of your own.`;
  }
  return `${host} could not be connected to${code === '' ? '' : ` (${code})`}.`;
}
