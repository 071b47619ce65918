/**
 * Reads the environment once into a typed, frozen Config. A malformed value, or a variable that looks like a
 * misspelling of a setting, stops the start with one line that names it (docs/contract/running.md#settings).
 */
import { z } from 'zod';
import { PLAN_NAMES } from '../entities/account.ts';
import type { Config } from '../services/config.ts';
import { parseAiBaseUrl } from './ai-base-url.ts';
import { emailAddress } from '../services/people/email-address.ts';
import { passwordProblem } from '../services/people/new-password.ts';
import { parseSmtpFrom, parseSmtpUrl } from './mail-settings.ts';
import { parseMediaStore } from './media-store-setting.ts';
import { settingMeant } from './misspellings.ts';
import { parseAllowList } from './outbound-addresses.ts';
import {
  origin,
  platformApps,
  PlatformApplications,
  platformEndpoints,
  PlatformOrigins,
  TOGETHER,
} from './platform-settings.ts';

/** A mistake in the environment; its message is the one line that the operator sees. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

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

/** A value that `parse` reads. The error that `parse` throws says what is wrong. */
const readBy = <Value>(parse: (value: string) => Value) =>
  z.string().transform((value, issue): Value => {
    try {
      return parse(value);
    } catch (error) {
      issue.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const ownerEmail = z.string().transform((value, issue): string => {
  const address = emailAddress(value);
  if (address !== null) return address;
  issue.addIssue({ code: 'custom', message: 'must be an address such as you@bells.example' });
  return z.NEVER;
});

const ownerPassword = z.string().superRefine((value, issue) => {
  const problem = passwordProblem(value);
  if (problem !== null) issue.addIssue({ code: 'custom', message: problem });
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

const count = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'must be a whole number of at least 1')
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
  MEDIA_STORE: readBy(parseMediaStore).prefault('file'),
  ROLE: z.enum(['all', 'web', 'worker']).default('all'),
  BOOTSTRAP_LIVE_KEY: apiKey('live').optional(),
  BOOTSTRAP_TEST_KEY: apiKey('test').optional(),
  OWNER_EMAIL: ownerEmail.optional(),
  OWNER_PASSWORD: ownerPassword.optional(),
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
  MAX_CONNECTIONS: count.default(5000),
  MAX_CONNECTIONS_PER_ADDRESS: count.default(1000),
  REQUEST_TIMEOUT_SECONDS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number of seconds, 1 to 999')
    .transform(Number)
    .default(15),
  OPERATOR: z.enum(['local', 'anywhere', 'off']).default('local'),
  OPERATOR_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
  DEFAULT_PLAN: z.enum(PLAN_NAMES).default('unlimited'),
  MESSAGES_PER_DAY: z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .optional(),
  X_POST_FEE_CENTS: cents.default(0),
  X_LINK_POST_FEE_CENTS: cents.default(0),
  X_READ_FEE_CENTS: cents.default(0),
  ...PlatformApplications.shape,
  SMTP_URL: readBy(parseSmtpUrl).optional(),
  SMTP_FROM: readBy(parseSmtpFrom).optional(),
  AI_BASE_URL: readBy(parseAiBaseUrl).optional(),
  AI_API_KEY: z
    .string()
    .regex(/^[!-~]+$/, 'must be printable ASCII without spaces')
    .optional(),
  AI_MODEL: z.string().min(1).optional(),
  ...PlatformOrigins.shape,
  MCP_CONFORMANCE: z.literal('1', 'must be 1, or unset').optional(),
});

const NAMES = Object.keys(Environment.shape);

/**
 * Reads the environment.
 *
 * @throws ConfigError with one line naming the variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  refuseMisspellings(env);
  // Compose files and shells write "not set" as an empty value.
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
    owner:
      values.OWNER_EMAIL === undefined || values.OWNER_PASSWORD === undefined
        ? null
        : { email: values.OWNER_EMAIL, password: values.OWNER_PASSWORD },
    encryptionKeys: values.ENCRYPTION_KEYS,
    outboundAllow: values.OUTBOUND_ALLOW,
    clock: values.CLOCK,
    clockStart: values.CLOCK_START,
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    logLevel: values.LOG_LEVEL,
    metricsToken: values.METRICS_TOKEN,
    production: values.NODE_ENV === 'production',
    trustProxy: values.TRUST_PROXY,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    requestTimeoutMs: values.REQUEST_TIMEOUT_SECONDS * 1000,
    operator: values.OPERATOR,
    operatorToken: values.OPERATOR_TOKEN,
    defaultPlan: values.DEFAULT_PLAN,
    messagesPerDay: values.MESSAGES_PER_DAY ?? null,
    fees: Object.freeze({
      X_POST_FEE_CENTS: values.X_POST_FEE_CENTS,
      X_LINK_POST_FEE_CENTS: values.X_LINK_POST_FEE_CENTS,
      X_READ_FEE_CENTS: values.X_READ_FEE_CENTS,
    }),
    endpoints: platformEndpoints(values, publicUrl),
    apps: platformApps(values),
    mail:
      values.SMTP_URL === undefined || values.SMTP_FROM === undefined
        ? null
        : { server: values.SMTP_URL, from: values.SMTP_FROM },
    polish:
      values.AI_BASE_URL === undefined || values.AI_MODEL === undefined
        ? null
        : { baseUrl: values.AI_BASE_URL, apiKey: values.AI_API_KEY, model: values.AI_MODEL },
    mcpConformance: values.MCP_CONFORMANCE !== undefined,
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
  if (values.MCP_CONFORMANCE !== undefined && values.NODE_ENV === 'production') {
    throw new ConfigError('MCP_CONFORMANCE: is refused when NODE_ENV is production');
  }
  if (values.CLOCK_START !== undefined && values.CLOCK !== 'manual') {
    throw new ConfigError('CLOCK_START: has a meaning only with CLOCK=manual');
  }
  if (values.X_CLIENT_SECRET !== undefined && values.X_CLIENT_ID === undefined) {
    throw new ConfigError('X_CLIENT_SECRET: has a meaning only with X_CLIENT_ID');
  }
  if (values.DISCORD_BOT_TOKEN !== undefined && values.DISCORD_CLIENT_ID === undefined) {
    throw new ConfigError('DISCORD_BOT_TOKEN: has a meaning only with DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET');
  }
  if (values.AI_API_KEY !== undefined && values.AI_BASE_URL === undefined) {
    throw new ConfigError('AI_API_KEY: has a meaning only with AI_BASE_URL and AI_MODEL');
  }
  const together = [
    ...TOGETHER,
    ['OWNER_EMAIL', 'OWNER_PASSWORD'],
    ['SMTP_URL', 'SMTP_FROM'],
    ['AI_BASE_URL', 'AI_MODEL'],
  ] as const;
  for (const [first, ...others] of together) {
    if (others.every((name) => (values[name] === undefined) === (values[first] === undefined))) continue;
    throw new ConfigError(`${first}: is set together with ${others.join(' and ')}`);
  }
}

function refuseMisspellings(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(env)) {
    if (NAMES.includes(name)) continue;
    const meant = settingMeant(name, NAMES);
    if (meant !== undefined) throw new ConfigError(`${name}: is not a setting; did you mean ${meant}?`);
  }
}
