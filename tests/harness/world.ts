/**
 * A whole install for tests: a separate database, a fixed clock, seeded randomness, the real application on loopback,
 * and short helpers to call it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { ApiKey } from '../../entities/api-key.ts';
import type { Database } from '../../entities/orm.ts';
import { Profile } from '../../entities/profile.ts';
import { query } from './query.ts';
import { housekeeping } from '../../jobs/housekeeping.ts';
import { loops } from '../../jobs/index.ts';
import { retention } from '../../jobs/retention.ts';
import { runRound } from '../../jobs/run-round.ts';
import { UNDECLARED } from '../../routers/procedures.ts';
import { createApp } from '../../server/app.ts';
import { systemClock } from '../../server/clocks.ts';
import { readConfig } from '../../server/config.ts';
import { createRuntime, type Runtime } from '../../server/runtime.ts';
import { createLogger } from '../../server/logger.ts';
import { createOutboundFetch } from '../../server/outbound.ts';
import type { Lookup } from '../../server/outbound-connect.ts';
import { createReceivers } from '../../server/receivers.ts';
import { startTelemetry } from '../../server/telemetry/start-telemetry.ts';
import type { Context } from '../../services/context.ts';
import { secretPrefix } from '../../services/keys/key-secret.ts';
import { hashSecret } from '../../services/secrets.ts';
import { startOwner } from '../../services/people/start-owner.ts';
import { firstStart } from '../../services/setup/first-start.ts';
import { checkAnswers, takeMisordered } from './answers-as-sent.ts';
import { whenOver } from './closing.ts';
import { openTestDatabase } from './database.ts';
import { takeDeadlocks } from './deadlocks.ts';
import { createMemoryMediaStore, type MemoryMediaStore } from './memory-media-store.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createTestClock, type TestClock, unsettable } from './test-clock.ts';

checkAnswers();

/** Origin shown in permalinks and documents. */
export const PUBLIC_URL = 'http://localhost:3000';

export const LIVE_KEY = `crl_live_${'L'.repeat(40)}`;
export const TEST_KEY = `crl_test_${'T'.repeat(40)}`;

/** An answer with its body read. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The raw bytes. */
  readonly bytes: Buffer;
  /** Parsed JSON; the text when it is not JSON. */
  // eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
  readonly body: any;
}

export interface RestCall {
  /** Key to send as x-api-key; the live key when omitted, none when null. */
  readonly key?: string | null;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged; bytes are sent without a default Content-Type. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

export interface World extends AsyncDisposable {
  /** Origin of the listening application. */
  readonly url: string;
  readonly context: Runtime;
  readonly clock: TestClock;
  readonly db: Database;
  /** The bytes of images, in memory. */
  readonly media: MemoryMediaStore;
  readonly liveKey: string;
  readonly testKey: string;
  readonly sandboxSlug: string;
  /** The lines of its log so far, from `error` on unless `logLevel` says otherwise. */
  readonly logged: readonly string[];
  /** Calls REST: `world.rest('GET /posts?limit=1')`. */
  rest(call: `${string} /${string}`, options?: RestCall): Promise<RestAnswer>;
  /** Runs SQL on the world's database. */
  sql<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Creates a profile, in the first account by default. */
  profile(name?: string, accountId?: string): Promise<{ id: string }>;
  /** Creates a key and returns its secret. */
  key(options?: {
    type?: 'live' | 'test';
    profileId?: string | null;
    accountId?: string;
    approval?: 'none' | 'required';
  }): Promise<{ id: string; secret: string }>;
  /** Runs the workers for everything due now except retention and housekeeping, and waits for them. */
  runDue(): Promise<void>;
  /** Runs the retention and the housekeeping of a worker, one round each. */
  housekeep(): Promise<void>;
  /** Sends telemetry that is queued. */
  flushTelemetry(): Promise<void>;
  /** Advances time, then runs the workers. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Environment in addition to the world's own, as docs/contract/running.md#settings names the variables. */
  readonly env?: Record<string, string>;
  /** Lowest level of {@link World.logged}; `error` by default. */
  readonly logLevel?: string;
  /** `manual` for an install whose clock is moved over the API; by default only tests move it. */
  readonly clock?: 'manual';
  /** Whether waits of the service take real time, for clients in real browsers; by default they take none. */
  readonly sleepsReally?: boolean;
  /** Port to listen on; any free one by default. */
  readonly port?: number;
  /**
   * Settings of the webhook transport: the time-out in real milliseconds, by default longer than any stall of a busy machine,
   * and the host lookup.
   */
  readonly receivers?: { readonly timeoutMs?: number; readonly lookup?: Lookup };
  /** Receives every line of the log, of every level. */
  readonly onLog?: (line: string) => void;
  /** Whether no world before may have used the database; false by default, because to create one takes a while. */
  readonly isDatabaseNew?: boolean;
}

/** Starts a world. It closes when the test that started it ends or, outside of a test, when the file ends. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createTestClock();
  if (options.sleepsReally === true) clock.sleep = systemClock.sleep;
  const random = createSeededRandom('world', clock);
  const db = await openTestDatabase({ isNew: options.isDatabaseNew });
  const config = readConfig({
    PUBLIC_URL,
    BOOTSTRAP_LIVE_KEY: LIVE_KEY,
    BOOTSTRAP_TEST_KEY: TEST_KEY,
    RATE_LIMIT_PER_MINUTE: '100000',
    OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    ...options.env,
  });
  const outbound = createOutboundFetch({ allow: config.outboundAllow });
  const receivers = createReceivers({ allow: config.outboundAllow, clock, timeoutMs: 60_000, ...options.receivers });
  const encryptionKeys = config.encryptionKeys ?? [random.bytes(32)];
  const undeclared: string[] = [];
  const logged: string[] = [];
  const telemetry =
    config.telemetry === null
      ? null
      : startTelemetry(config.telemetry, { version: '2.0.0', instanceId: 'world', role: 'all', clock: systemClock });
  const write = (line: string) => {
    logged.push(line);
    options.onLog?.(line);
    if (line.includes(UNDECLARED)) undeclared.push(line);
    if (process.env['TEST_LOG'] !== undefined) process.stderr.write(line);
  };
  const logLevel = options.logLevel ?? (options.onLog === undefined ? 'error' : 'trace');
  const log = createLogger(logLevel, { write }, telemetry?.lines);
  const media = createMemoryMediaStore();
  const installClock = options.clock === 'manual' ? clock : unsettable(clock);
  const context = createRuntime({
    config,
    clock: installClock,
    random,
    fetch: outbound.fetch,
    openSocket: outbound.openSocket,
    receivers,
    db,
    encryptionKeys,
    log,
    media,
    ...(telemetry !== null && { tracer: telemetry.tracer }),
  });
  telemetry?.observe({ log, metrics: context.instruments.readRegistry });
  const first = await firstStart(context);
  if (config.owner !== null) await startOwner(context);
  const stopping = new AbortController();
  const app = createApp(context, { operatorToken: config.operatorToken, stopping: stopping.signal });
  const server = createServer(app).listen(options.port ?? 0, '127.0.0.1');
  // The embedded database blocks the process for seconds on a busy machine, and kept-alive connections would time out
  // during a request.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    stopping.abort();
    await Promise.all([context.sends.drained(), context.deliveries.close()]);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    context.images.close();
    await outbound.close();
    receivers.close();
    await telemetry?.stop();
    await db.close();
  };
  whenOver(async () => {
    await close();
    expect(undeclared).toEqual([]);
    expect(takeMisordered()).toEqual([]);
    expect(takeDeadlocks()).toEqual([]);
  });

  const idle = () => Promise.all([context.sends.drained(), context.deliveries.drained()]);
  const runDue = async () => {
    for (const loop of loops) {
      // They ask about every table; their tests run them.
      if (loop === retention || loop === housekeeping) continue;
      const round = () => runRound(context, loop, new AbortController().signal);
      // A round starts as much work as the capacity allows; when it ends, there is capacity again.
      while ((await round()) > 0 && loop.nextDueAt !== undefined) await idle();
      await idle();
    }
  };

  return {
    url,
    context,
    clock,
    db,
    media,
    liveKey: LIVE_KEY,
    testKey: TEST_KEY,
    sandboxSlug: first?.sandboxSlug ?? '',
    logged,
    rest: (call, options_) => callRest(url, call, options_),
    sql: (sql, parameters) => query(db.em(), sql, parameters),
    profile: (name, accountId) => makeProfile(context, name, accountId),
    key: (options_) => makeKey(context, options_),
    runDue,
    housekeep: async () => {
      for (const loop of [retention, housekeeping]) await runRound(context, loop, new AbortController().signal);
    },
    flushTelemetry: async () => telemetry?.flush(),
    advance: async (ms) => {
      clock.advance(ms);
      await runDue();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function callRest(url: string, call: string, options: RestCall = {}): Promise<RestAnswer> {
  const [method = '', path = ''] = call.split(' ', 2);
  const { key = LIVE_KEY, body, raw } = options;
  const response = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined && raw === undefined
      ? {}
      : { body: (raw ?? JSON.stringify(body)) as string | Uint8Array<ArrayBuffer> }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, body: parse(bytes.toString()) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function firstAccountId(context: Context): Promise<string> {
  const [row] = await query<{ id: string }>(context.db.em(), 'select id from accounts order by id limit 1');
  return row?.id ?? '';
}

async function makeProfile(context: Context, name = 'Acme', owner?: string): Promise<{ id: string }> {
  const id = context.random.uuid();
  const accountId = owner ?? (await firstAccountId(context));
  await context.db
    .em()
    .insert(Profile, { id, accountId, name, externalId: null, createdAt: context.clock.now(), deletedAt: null });
  return { id };
}

async function makeKey(
  context: Context,
  options: {
    type?: 'live' | 'test';
    profileId?: string | null;
    accountId?: string;
    approval?: 'none' | 'required';
  } = {},
): Promise<{ id: string; secret: string }> {
  const { type = 'live', profileId = null, approval = 'none' } = options;
  const id = context.random.uuid();
  const secret = `crl_${type}_${id.replaceAll('-', '')}${'0'.repeat(8)}`;
  const accountId = options.accountId ?? (await firstAccountId(context));
  await context.db.em().insert(ApiKey, {
    id,
    accountId,
    profileId,
    name: 'A key',
    type,
    prefix: secretPrefix(secret),
    secretHash: hashSecret(secret),
    redirectAllowlist: null,
    approval,
    createdAt: context.clock.now(),
    lastUsedAt: null,
    revokedAt: null,
  });
  return { id, secret };
}
