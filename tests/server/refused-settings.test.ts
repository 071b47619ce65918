/** A refused setting (docs/contract/running.md#settings): one line names it and says what to correct. What the process does then is in tests/crash/configuration.crash.test.ts. */
import { expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../server/config.ts';

const KEY_MESSAGE = 'must be comma-separated base64 keys of 32 bytes each';
const POSTGRES = 'postgres://127.0.0.1:1/carillon';

const keyOf = (type: 'live' | 'test', letters: number) => `crl_${type}_${'A'.repeat(letters)}`;

it.each([
  [{ PORT: 'abc' }, 'PORT: must be a port number'],
  [{ PORT: '70000' }, 'PORT: Too big: expected number to be <=65535'],
  [{ RATE_LIMIT_PER_MINUT: '9' }, 'RATE_LIMIT_PER_MINUT: is not a setting; did you mean RATE_LIMIT_PER_MINUTE?'],
  [{ database_url: POSTGRES }, 'database_url: is not a setting; did you mean DATABASE_URL?'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL: must begin with postgres://'],
  [{ DATABASE_URL: 'postgres://a:5432,,b/x' }, 'DATABASE_URL: must name a host before and after each comma'],
  [{ ROLE: 'worker' }, 'ROLE: worker needs DATABASE_URL; the embedded database serves one process only'],
  [{ ROLE: 'boss' }, 'ROLE: Invalid option: expected one of "all"|"web"|"worker"'],
  [
    { CLOCK: 'manual', DATABASE_URL: POSTGRES },
    'CLOCK: manual works on the embedded database only; unset DATABASE_URL',
  ],
  [{ CLOCK: 'manual', NODE_ENV: 'production' }, 'CLOCK: manual is refused when NODE_ENV is production'],
  [{ MCP_CONFORMANCE: '1', NODE_ENV: 'production' }, 'MCP_CONFORMANCE: is refused when NODE_ENV is production'],
  [{ MCP_CONFORMANCE: 'yes' }, 'MCP_CONFORMANCE: must be 1, or unset'],
  [{ BOOTSTRAP_LIVE_KEY: keyOf('live', 31) }, 'BOOTSTRAP_LIVE_KEY: must be crl_live_ and 32 to 200 letters or digits'],
  [{ BOOTSTRAP_LIVE_KEY: keyOf('live', 201) }, 'BOOTSTRAP_LIVE_KEY: must be crl_live_ and 32 to 200 letters or digits'],
  [{ BOOTSTRAP_TEST_KEY: keyOf('test', 201) }, 'BOOTSTRAP_TEST_KEY: must be crl_test_ and 32 to 200 letters or digits'],
  [{ CLOCK_START: '2027-01-01T00:00:00Z' }, 'CLOCK_START: is used only with CLOCK=manual'],
  [{ ENCRYPTION_KEYS: 'c2hvcnQ=' }, `ENCRYPTION_KEYS: ${KEY_MESSAGE}`],
  [{ ENCRYPTION_KEYS: `${Buffer.alloc(32).toString('base64')},` }, `ENCRYPTION_KEYS: ${KEY_MESSAGE}`],
  [
    { OUTBOUND_ALLOW: '10.0.0.0/33' },
    "OUTBOUND_ALLOW: '10.0.0.0/33' is neither a network such as 10.0.0.0/8 nor an IP address",
  ],
  [
    { TRUST_PROXY: '10.0.0.1, yes' },
    "TRUST_PROXY: 'yes' is neither a number of proxies, true, false, an IP address nor a network such as 10.0.0.0/8",
  ],
  [
    { PUBLIC_URL: 'https://example.com/app' },
    'PUBLIC_URL: must be an origin such as https://example.com, without a path',
  ],
])('refuses %j in one line', (settings, message) => {
  expect(() => readConfig(settings)).toThrow(new ConfigError(message));
});
