/** Every setting of an install, in groups, with what docs/configuration.md says about it. */
import { z } from 'zod';
import { PLAN_NAMES } from '../entities/account.ts';
import { parseSmtpFrom, parseSmtpUrl } from './mail-settings.ts';
import { parseMediaStore } from './media-store-setting.ts';
import { origin } from '../platforms/settings.ts';
import { PlatformApplications, PlatformCharges, PlatformOrigins } from './platform-settings.ts';
import { Polish } from './polish-settings.ts';
import { settingFacts as facts } from './setting.ts';
import {
  apiKey,
  cidrs,
  databaseUrl,
  digits,
  encryptionKeys,
  ownerEmail,
  ownerPassword,
  readBy,
  trustProxy,
} from './setting-values.ts';
import { OpenTelemetry } from './telemetry-settings.ts';

const Server = z.object({
  PORT: digits(/^\d+$/, 'must be a port number').pipe(z.number().max(65_535)).default(3000).register(facts, {
    type: 'port',
    range: '0 to 65535',
    meaning: 'Port to listen on.',
  }),
  HOST: z.string().min(1).default('127.0.0.1').register(facts, {
    type: 'host or IP address',
    meaning: 'Address to listen on. The default accepts connections from this machine only.',
  }),
  PUBLIC_URL: origin.optional().register(facts, {
    type: 'origin',
    meaning:
      'Public origin of this install, such as `https://bells.example`. Unset: `http://localhost:` and the port. Links in responses, including sandbox permalinks, start with it, and `/mcp` accepts requests for its host only.',
  }),
  DATABASE_URL: databaseUrl.optional().register(facts, {
    type: 'URL',
    range: 'begins with `postgres://` or `postgresql://`',
    meaning:
      'PostgreSQL connection URL, such as `postgres://user:password@host:5432/carillon`, or with [several hosts](operations.md#several-hosts-in-database_url). Unset: an embedded database in `DATA_DIR`.',
  }),
  DATA_DIR: z.string().min(1).default('./data').register(facts, {
    type: 'path',
    meaning: 'Folder for the embedded database, generated secrets, uploaded images and the manual clock.',
  }),
  MEDIA_STORE: readBy(parseMediaStore).prefault('file').register(facts, {
    type: '`file` or URL',
    meaning:
      'Storage for uploaded images: `file` (under `DATA_DIR/media`), or `s3://bucket?endpoint=…&region=…&prefix=…` for S3 and compatible stores, with credentials from the usual AWS variables. Processes on several machines need S3.',
  }),
  ROLE: z.enum(['all', 'web', 'worker']).default('all').register(facts, {
    type: 'choice',
    meaning:
      '`web` answers requests, `worker` sends scheduled posts and delivers to webhooks, `all` does both. `web` and `worker` need `DATABASE_URL`.',
  }),
});

const FirstAccount = z.object({
  BOOTSTRAP_LIVE_KEY: apiKey('live').optional().register(facts, {
    type: 'API key',
    range: '`crl_live_` and 32 to 200 letters or digits',
    meaning: 'Live key of the first account, created at the first start. Unset: one is generated and printed once.',
  }),
  BOOTSTRAP_TEST_KEY: apiKey('test').optional().register(facts, {
    type: 'API key',
    range: '`crl_test_` and 32 to 200 letters or digits',
    meaning: 'Test key of the first account, created at the first start. Unset: there is none.',
  }),
  OWNER_EMAIL: ownerEmail.optional().register(facts, {
    type: 'email address',
    meaning:
      'Address with which the owner of the first account [signs in](guide/owner.md#set-up). Creates the owner, and has no effect once there is one. Unset: while there is no owner, each start prints a link to set one up.',
  }),
  OWNER_PASSWORD: ownerPassword.optional().register(facts, {
    type: 'password',
    range: 'at least 12 characters',
    meaning: 'Password of that owner. Set together with the address.',
  }),
});

const EncryptionAndNetwork = z.object({
  ENCRYPTION_KEYS: encryptionKeys.optional().register(facts, {
    type: 'list of keys',
    range: 'comma-separated, each 32 bytes in base64',
    meaning:
      'Keys that encrypt stored credentials and webhook secrets. The first encrypts, all decrypt. Unset: one is generated in `DATA_DIR/encryption.key`.',
  }),
  OUTBOUND_ALLOW: cidrs.default([]).register(facts, {
    type: 'list of networks',
    range: 'comma-separated',
    meaning:
      'Networks or addresses that outbound requests may reach although they are not public, such as `10.0.0.0/8,::1`. Plain http to them is allowed too.',
  }),
});

const Time = z.object({
  CLOCK: z.enum(['system', 'manual']).default('system').register(facts, {
    type: 'choice',
    meaning:
      '`manual`: time advances only when a request [moves it](guide/testing.md#the-manual-clock). Refused with `DATABASE_URL` and with `NODE_ENV=production`.',
  }),
  CLOCK_START: z.iso
    .datetime({ offset: true })
    .transform((value) => new Date(value))
    .optional()
    .register(facts, {
      type: 'instant',
      range: 'ISO 8601 with an offset',
      meaning:
        'Instant at which the manual clock starts, such as `2027-03-01T08:00:00Z`. Unset: the real time. A data directory that has reached a later instant continues from there; an instant given here counts as reached.',
    }),
});

const count = digits(/^[1-9]\d{0,5}$/, 'must be a whole number of at least 1');

const Operation = z.object({
  RATE_LIMIT_PER_MINUTE: digits(/^[1-9]\d{0,8}$/, 'must be a whole number of at least 1')
    .default(60)
    .register(facts, {
      type: 'whole number',
      unit: 'requests a minute',
      range: '1 to 999,999,999',
      meaning:
        'Requests for each key and endpoint group, and for each address or IPv6 /64, over all processes, on what takes no key: `GET /health` and `GET /health/history` together, `GET /stats`, `GET /openapi.json`, all [calendar addresses](guide/calendars.md) together, images of the sandbox, requests that open the consent page, `/oauth/token`, and `/oauth/revoke`. `/oauth/token` also counts for each grant. New OAuth clients are limited to half of it for each address, and to 30 if that is more.',
    }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .register(facts, { type: 'choice', meaning: 'Least severe level that is [logged](operations.md#log-lines).' }),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional().register(facts, {
    type: 'secret',
    range: 'at least 16 characters',
    meaning:
      'Bearer token that opens [`/metrics`](operations.md#metrics) to other machines and through proxies. Unset: only requests on this machine can read it.',
  }),
  NODE_ENV: z.enum(['development', 'test', 'production']).optional().register(facts, {
    type: 'choice',
    meaning: '`production` refuses the manual clock.',
  }),
  TRUST_PROXY: trustProxy.optional().register(facts, {
    type: 'whole number, list or `true`',
    meaning:
      "Which proxies may set the caller's address: a number of hops, or addresses and subnets. `true` trusts every caller, who can then choose the address that rate limits count; the start logs a warning. Unset: none.",
  }),
  MAX_CONNECTIONS: count.default(5000).register(facts, {
    type: 'whole number',
    unit: 'connections',
    range: '1 to 999,999',
    meaning: 'Maximum open connections of a process. Further ones are closed without a response.',
  }),
  MAX_CONNECTIONS_PER_ADDRESS: count.default(1000).register(facts, {
    type: 'whole number',
    unit: 'connections',
    range: '1 to 999,999',
    meaning:
      "Maximum open connections from one address, or from one IPv6 /64. Connections of a proxy in `TRUST_PROXY` are not counted; behind it, the same number limits each caller's requests in progress, and further requests are answered 429.",
  }),
  REQUEST_TIMEOUT_SECONDS: digits(/^[1-9]\d{0,2}$/, 'must be a whole number of seconds, 1 to 999')
    .default(15)
    .register(facts, {
      type: 'whole number',
      unit: 'seconds',
      range: '1 to 999',
      meaning:
        'Time within which a whole request, headers and body, must arrive. A slower request is answered 408. Raise it if clients upload 8 MB images at less than 5 Mbit/s.',
    }),
  BACKUP_EVERY_HOURS: digits(/^[1-9]\d{0,2}$/, 'must be a whole number of hours, 1 to 999')
    .optional()
    .register(facts, {
      type: 'whole number',
      unit: 'hours',
      range: '1 to 999',
      meaning:
        'How often the running server [backs up](operations.md#backups) the embedded database, its images and its generated key. Refused with `DATABASE_URL`. Unset: only `npm run carillon -- backup create` does.',
    }),
  BACKUP_KEEP: digits(/^[1-9]\d{0,2}$/, 'must be a whole number, 1 to 999')
    .default(7)
    .register(facts, {
      type: 'whole number',
      unit: 'backups',
      range: '1 to 999',
      meaning: 'How many scheduled backups are kept; the oldest are removed after each new one.',
    }),
  BACKUP_DIR: z.string().min(1).optional().register(facts, {
    type: 'path',
    meaning:
      'Folder for backups. Another disk or a mounted bucket survives the disk of `DATA_DIR`. Unset: `backups` in `DATA_DIR`.',
  }),
  RESTORED: z.literal('1', 'must be 1, or unset').optional().register(facts, {
    type: '`1`',
    meaning:
      'For the first start on a restored backup: holds every post that is due, because it may have gone out after the backup was made. Unset it after that start, and [decide about the held posts](operations.md#after-a-restore).',
  }),
  APPROVAL_DAYS: digits(/^[1-9]\d{0,2}$/, 'must be a whole number of days, 1 to 999')
    .default(7)
    .register(facts, {
      type: 'whole number',
      unit: 'days',
      range: '1 to 999',
      meaning: 'How long a post [waits for approval](guide/approvals.md) before the request expires.',
    }),
  OPERATOR: z.enum(['local', 'anywhere', 'off']).default('local').register(facts, {
    type: 'choice',
    meaning:
      "From where `/operator` accepts the operator's token: `local` for requests on this machine that no proxy forwarded, `anywhere`, or `off` to refuse all.",
  }),
  OPERATOR_TOKEN: z.string().min(32, 'must have at least 32 characters').optional().register(facts, {
    type: 'secret',
    range: 'at least 32 characters',
    meaning: 'Token that `npm run carillon` sends to the server. Unset: one is generated in `DATA_DIR/operator.token`.',
  }),
});

const PlansAndFees = z.object({
  DEFAULT_PLAN: z.enum(PLAN_NAMES).default('unlimited').register(facts, {
    type: 'choice',
    meaning: '[Plan](guide/plans.md) of a new account. `free` has 2 active connections and 100 posts a day.',
  }),
  MESSAGES_PER_DAY: digits(/^\d{1,9}$/, 'must be a whole number')
    .optional()
    .register(facts, {
      type: 'whole number',
      unit: 'messages',
      range: '0 to 999,999,999',
      meaning:
        'Maximum messages, SMS and email together, that an account sends in a UTC day, unless `account set --messages` set another cap for it. Unset: no cap.',
    }),
  ...PlatformCharges.shape,
});

const Mail = z.object({
  SMTP_URL: readBy(parseSmtpUrl).optional().register(facts, {
    type: 'URL',
    range: 'begins with `smtps://` or `smtp://`',
    meaning:
      'Mail server: `smtps://user:password@host:port` (TLS, port 465 unless named), or `smtp://…` (port 587), which uses TLS if the server offers it, and sends a password to another machine only over TLS. Unset: there is no email.',
  }),
  SMTP_FROM: readBy(parseSmtpFrom).optional().register(facts, {
    type: 'email address',
    meaning: 'Sender of emails: `posts@bells.example` or `The Bells <posts@bells.example>`. Set together with the URL.',
  }),
});

const Development = z.object({
  MCP_CONFORMANCE: z.literal('1', 'must be 1, or unset').optional().register(facts, {
    type: '`1`',
    meaning:
      'For development of Carillon: adds to `/mcp` the tools, prompts and resources that the official conformance suite calls by name. Refused with `NODE_ENV=production`.',
  }),
});

/** The groups of settings, in the order of docs/configuration.md. */
export const SETTING_GROUPS: readonly (readonly [title: string, group: z.ZodObject])[] = [
  ['Server and storage', Server],
  ['The first account', FirstAccount],
  ['Encryption and outbound requests', EncryptionAndNetwork],
  ['Clock', Time],
  ['Limits, logs and the operator', Operation],
  ['Plans and fees', PlansAndFees],
  ['Apps and accounts at platforms', PlatformApplications],
  ['Mail server', Mail],
  ['AI polish', Polish],
  ['OpenTelemetry', OpenTelemetry],
  ['Addresses of platforms', PlatformOrigins],
  ['Development of Carillon', Development],
];

/** All settings together. */
export const Environment = z.object({
  ...Server.shape,
  ...FirstAccount.shape,
  ...EncryptionAndNetwork.shape,
  ...Time.shape,
  ...Operation.shape,
  ...PlansAndFees.shape,
  ...PlatformApplications.shape,
  ...Mail.shape,
  ...Polish.shape,
  ...OpenTelemetry.shape,
  ...PlatformOrigins.shape,
  ...Development.shape,
});
