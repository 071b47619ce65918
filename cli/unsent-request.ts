/** Whether a request that failed has not left this machine, by the errors of Node.js and its fetch. */
import { isTokenFailure } from './access-token.ts';

/** System calls before a connection exists. The code alone is not enough: ETIMEDOUT also ends a read. */
const BEFORE_CONNECTED = ['getaddrinfo', 'connect'];

const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/**
 * A certificate is refused at the end of the TLS handshake, before the request is written. Other errors of TLS may come later.
 * Source: https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const UNTRUSTED = [
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** False when the request may have left. */
export function isUnsent(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (isTokenFailure(error)) return true;
    // A host with several addresses has an error for each, and the code of the first.
    if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnsent);
    const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
    if (BEFORE_CONNECTED.includes(syscall) || code === CONNECT_TIMEOUT || UNTRUSTED.includes(code)) return true;
  }
  return false;
}
