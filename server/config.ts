/**
 * Reads the environment once into a typed, frozen Config. A malformed value, or a variable that looks like a
 * misspelling of a setting, stops the start with one line that names it (docs/contract/running.md#settings).
 */
import { join } from 'node:path';
import type { z } from 'zod';
import type { Config } from '../services/config.ts';
import { installedSettings } from './installed-settings.ts';
import { settingMeant } from './misspellings.ts';
import { DEPENDENT, platformApps, platformEndpoints, platformFees, TOGETHER } from './platform-settings.ts';
import { Environment } from './settings.ts';
import { telemetryConfig } from './telemetry-settings.ts';

/** A mistake in the environment; its message is the one line that the operator sees. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const HOUR_MS = 3_600_000;

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
    backups: {
      folder: values.BACKUP_DIR ?? join(values.DATA_DIR, 'backups'),
      schedule:
        values.BACKUP_EVERY_HOURS === undefined
          ? null
          : { everyMs: values.BACKUP_EVERY_HOURS * HOUR_MS, keep: values.BACKUP_KEEP },
    },
    isRestored: values.RESTORED !== undefined,
    operator: values.OPERATOR,
    operatorToken: values.OPERATOR_TOKEN,
    defaultPlan: values.DEFAULT_PLAN,
    approvalDays: values.APPROVAL_DAYS,
    messagesPerDay: values.MESSAGES_PER_DAY ?? null,
    fees: platformFees(values),
    endpoints: platformEndpoints(values, publicUrl),
    apps: platformApps(values),
    mail:
      values.SMTP_URL === undefined || values.SMTP_FROM === undefined
        ? null
        : { server: values.SMTP_URL, from: values.SMTP_FROM },
    polish:
      values.AI_BASE_URL === undefined || values.AI_MODEL === undefined
        ? null
        : {
            baseUrl: values.AI_BASE_URL,
            apiKey: values.AI_API_KEY,
            model: values.AI_MODEL,
            seesImages: values.AI_SEES_IMAGES === 'true',
          },
    telemetry: telemetryConfig(values, env),
    mcpConformance: values.MCP_CONFORMANCE !== undefined,
    settings: installedSettings(set),
  });
}

function refuseCombinations(values: z.infer<typeof Environment>): void {
  if (values.ROLE !== 'all' && values.DATABASE_URL === undefined) {
    throw new ConfigError(`ROLE: ${values.ROLE} needs DATABASE_URL; the embedded database serves one process only`);
  }
  if (values.CLOCK === 'manual' && values.DATABASE_URL !== undefined) {
    throw new ConfigError('CLOCK: manual works on the embedded database only; unset DATABASE_URL');
  }
  if (values.BACKUP_EVERY_HOURS !== undefined && values.DATABASE_URL !== undefined) {
    throw new ConfigError(
      'BACKUP_EVERY_HOURS: backs up the embedded database only; unset it, and back PostgreSQL up with pg_dump or pgBackRest',
    );
  }
  if (values.CLOCK === 'manual' && values.NODE_ENV === 'production') {
    throw new ConfigError('CLOCK: manual is refused when NODE_ENV is production');
  }
  if (values.MCP_CONFORMANCE !== undefined && values.NODE_ENV === 'production') {
    throw new ConfigError('MCP_CONFORMANCE: is refused when NODE_ENV is production');
  }
  if (values.CLOCK_START !== undefined && values.CLOCK !== 'manual') {
    throw new ConfigError('CLOCK_START: is used only with CLOCK=manual');
  }
  for (const name of ['AI_API_KEY', 'AI_SEES_IMAGES'] as const) {
    if (values[name] === undefined || values.AI_BASE_URL !== undefined) continue;
    throw new ConfigError(`${name}: is used only with AI_BASE_URL and AI_MODEL`);
  }
  const given: Readonly<Record<string, unknown>> = values;
  for (const { name, needs } of DEPENDENT) {
    if (given[name] === undefined || given[needs[0] ?? ''] !== undefined) continue;
    throw new ConfigError(`${name}: is used only with ${needs.join(' and ')}`);
  }
  const together: readonly (readonly string[])[] = [
    ...TOGETHER,
    ['OWNER_EMAIL', 'OWNER_PASSWORD'],
    ['SMTP_URL', 'SMTP_FROM'],
    ['AI_BASE_URL', 'AI_MODEL'],
  ];
  for (const [first = '', ...others] of together) {
    if (others.every((name) => (given[name] === undefined) === (given[first] === undefined))) continue;
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
