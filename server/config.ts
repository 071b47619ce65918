/**
 * The environment, read once into a typed, frozen Config. Whatever is malformed, and any variable
 * that looks like a misspelling of one of these, stops the start with one line that names it (D3).
 */
import { z } from 'zod';
import { PLAN_NAMES } from '../entities/account.ts';
import type { Config } from '../services/config.ts';
import { parseMediaStore } from './media-store-setting.ts';
import { parseAllowList } from './outbound-addresses.ts';

/** A mistake in the environment; its message is the one line that the operator sees. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const origin = z.string().transform((value, issue) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    issue.addIssue({ code: 'custom', message: 'must be an origin such as https://example.com, without a path' });
    return z.NEVER;
  }
  return url.origin;
});

const apiKey = (type: 'live' | 'test') =>
  z
    .string()
    .regex(new RegExp(`^crl_${type}_[A-Za-z0-9]{32,}$`), `must be crl_${type}_ and at least 32 letters or digits`);

const encryptionKeys = z.string().transform((value, issue) => {
  const keys = value.split(',').map((key) => Buffer.from(key.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32)) {
    issue.addIssue({ code: 'custom', message: 'must be comma-separated base64 keys of 32 bytes each' });
    return z.NEVER;
  }
  return keys;
});

const cidrs = z.string().transform((value, issue) => {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  try {
    parseAllowList(entries);
  } catch (error) {
    issue.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
  return entries;
});

const mediaStore = z.string().transform((value, issue) => {
  try {
    return parseMediaStore(value);
  } catch (error) {
    issue.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

/** Express's trust-proxy setting: a number of hops, true or false, or addresses and subnets. */
const trustProxy = z.string().transform((value): boolean | number | string => {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+$/.test(value) ? Number(value) : value;
});

const cents = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number of cents')
  .transform(Number);

/** Every variable, in the order of the README's table. */
const Environment = z.object({
  PORT: z.string().regex(/^\d+$/, 'must be a port number').transform(Number).pipe(z.number().max(65_535)).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: origin.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
    .optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  MEDIA_STORE: mediaStore.prefault('file'),
  ROLE: z.enum(['all', 'web', 'worker']).default('all'),
  BOOTSTRAP_LIVE_KEY: apiKey('live').optional(),
  BOOTSTRAP_TEST_KEY: apiKey('test').optional(),
  ENCRYPTION_KEYS: encryptionKeys.optional(),
  OUTBOUND_ALLOW: cidrs.default([]),
  CLOCK: z.enum(['system', 'manual']).default('system'),
  CLOCK_START: z.iso
    .datetime({ offset: true })
    .transform((value) => new Date(value))
    .optional(),
  RATE_LIMIT_PER_MINUTE: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number of at least 1')
    .transform(Number)
    .default(60),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  NODE_ENV: z.enum(['development', 'test', 'production']).optional(),
  TRUST_PROXY: trustProxy.optional(),
  OPERATOR_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
  DEFAULT_PLAN: z.enum(PLAN_NAMES).default('unlimited'),
  X_POST_FEE_CENTS: cents.default(0),
  X_LINK_POST_FEE_CENTS: cents.default(0),
  X_CLIENT_ID: z.string().min(1).optional(),
  X_CLIENT_SECRET: z.string().min(1).optional(),
  META_CLIENT_ID: z.string().min(1).optional(),
  META_CLIENT_SECRET: z.string().min(1).optional(),
  BLUESKY_SERVICE_URL: origin.default('https://bsky.social'),
  META_GRAPH_URL: origin.default('https://graph.facebook.com'),
  META_AUTH_URL: origin.default('https://www.facebook.com'),
  X_API_URL: origin.default('https://api.x.com'),
  X_AUTH_URL: origin.default('https://x.com'),
});

const NAMES = Object.keys(Environment.shape);

/**
 * Reads the environment.
 *
 * @throws ConfigError with one line naming the variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  refuseMisspellings(env);
  // An empty value is how compose files and shells spell "not set".
  const set = Object.fromEntries(NAMES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${String(issue?.path[0])}: ${issue?.message}`);
  }
  const values = parsed.data;
  refuseCombinations(values);
  const { PORT: port, HOST: host, PUBLIC_URL: publicUrl = `http://localhost:${port}` } = values;
  return Object.freeze({
    port,
    host,
    publicUrl,
    databaseUrl: values.DATABASE_URL,
    dataDir: values.DATA_DIR,
    mediaStore: values.MEDIA_STORE,
    role: values.ROLE,
    bootstrapLiveKey: values.BOOTSTRAP_LIVE_KEY,
    bootstrapTestKey: values.BOOTSTRAP_TEST_KEY,
    encryptionKeys: values.ENCRYPTION_KEYS,
    outboundAllow: values.OUTBOUND_ALLOW,
    clock: values.CLOCK,
    clockStart: values.CLOCK_START,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    logLevel: values.LOG_LEVEL,
    metricsToken: values.METRICS_TOKEN,
    production: values.NODE_ENV === 'production',
    trustProxy: values.TRUST_PROXY,
    operatorToken: values.OPERATOR_TOKEN,
    defaultPlan: values.DEFAULT_PLAN,
    fees: Object.freeze({
      X_POST_FEE_CENTS: values.X_POST_FEE_CENTS,
      X_LINK_POST_FEE_CENTS: values.X_LINK_POST_FEE_CENTS,
    }),
    endpoints: Object.freeze({
      BLUESKY_SERVICE_URL: values.BLUESKY_SERVICE_URL,
      META_GRAPH_URL: values.META_GRAPH_URL,
      META_AUTH_URL: values.META_AUTH_URL,
      X_API_URL: values.X_API_URL,
      X_AUTH_URL: values.X_AUTH_URL,
      PUBLIC_URL: publicUrl,
    }),
    apps: Object.freeze({
      x:
        values.X_CLIENT_ID === undefined
          ? null
          : { clientId: values.X_CLIENT_ID, clientSecret: values.X_CLIENT_SECRET },
      meta:
        values.META_CLIENT_ID === undefined || values.META_CLIENT_SECRET === undefined
          ? null
          : { clientId: values.META_CLIENT_ID, clientSecret: values.META_CLIENT_SECRET },
    }),
  });
}

function refuseCombinations(values: z.infer<typeof Environment>): void {
  if (values.ROLE !== 'all' && values.DATABASE_URL === undefined) {
    throw new ConfigError(`ROLE: ${values.ROLE} needs DATABASE_URL; the embedded database serves one process only`);
  }
  if (values.CLOCK === 'manual' && values.DATABASE_URL !== undefined) {
    throw new ConfigError('CLOCK: manual works on the embedded database only; unset DATABASE_URL');
  }
  if (values.CLOCK === 'manual' && values.NODE_ENV === 'production') {
    throw new ConfigError('CLOCK: manual is refused when NODE_ENV is production');
  }
  if (values.CLOCK_START !== undefined && values.CLOCK !== 'manual') {
    throw new ConfigError('CLOCK_START: has a meaning only with CLOCK=manual');
  }
  if (values.X_CLIENT_SECRET !== undefined && values.X_CLIENT_ID === undefined) {
    throw new ConfigError('X_CLIENT_SECRET: has a meaning only with X_CLIENT_ID');
  }
  if ((values.META_CLIENT_SECRET === undefined) !== (values.META_CLIENT_ID === undefined)) {
    throw new ConfigError('META_CLIENT_ID: is set together with META_CLIENT_SECRET');
  }
}

function refuseMisspellings(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(env)) {
    if (NAMES.includes(name)) continue;
    const meant = NAMES.find((known) => looksMisspelt(name, known));
    if (meant !== undefined) throw new ConfigError(`${name}: is not a setting; did you mean ${meant}?`);
  }
}

/** Short names (PORT, HOST, ROLE) have innocent neighbours, so only swapped letters count there. */
function looksMisspelt(name: string, known: string): boolean {
  if (name.toUpperCase() === known) return true;
  // A short first word is what tells one service's settings from another's: GH_CLIENT_ID is not X_CLIENT_ID.
  const [prefix = '', ...rest] = known.split('_');
  if (prefix.length <= 2 && rest.length > 0 && !name.startsWith(`${prefix}_`)) return false;
  const allowed = known.length <= 5 ? 0 : known.length <= 8 ? 1 : 2;
  if (Math.abs(name.length - known.length) > allowed) return false;
  return sameLetters(name, known) || editDistance(name, known) <= allowed;
}

function sameLetters(name: string, known: string): boolean {
  if (name[0] !== known[0]) return false;
  return [...name].toSorted().join('') === [...known].toSorted().join('');
}

/** Levenshtein distance: the fewest single-letter changes that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
