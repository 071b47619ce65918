/**
 * All platforms and a model offline, for developers: the settings of an install, the calls that connect accounts,
 * and the received posts.
 */
import { startFakeModel } from '../fakes/fake-model.ts';
import { startWire, type Wire } from '../fakes/wire.ts';
import { startPlatformServers } from './index.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

/** The servers run on this machine. */
const LOOPBACK = '127.0.0.0/8,::1/128';

/** A body for POST /connections. */
export interface DevConnection {
  readonly platformId: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly slug: string;
}

export interface DevPlatforms extends AsyncDisposable {
  /** Settings for the start of an install. */
  readonly env: Readonly<Record<string, string>>;
  /** One account per platform, including the sandbox. */
  readonly connections: readonly DevConnection[];
  readonly servers: readonly PlatformServer[];
  /** URL that lists the posts of each platform as JSON. */
  readonly listUrl: string;
}

/** @param firstPort port of the list; the servers use the ports after it. Any free ports when absent */
export async function startDevPlatforms(options: PlatformServerOptions, firstPort?: number): Promise<DevPlatforms> {
  const servers = await startPlatformServers(options, firstPort === undefined ? undefined : firstPort + 1);
  // The ports after the list: the servers, and the front that two of them share.
  const modelPort = firstPort === undefined ? undefined : firstPort + servers.all.length + 2;
  const model = await startFakeModel({ now: options.now, port: modelPort });
  const list = await startList(options, servers.all, firstPort);
  return {
    env: {
      OUTBOUND_ALLOW: LOOPBACK,
      ...servers.env,
      AI_BASE_URL: model.baseUrl,
      AI_MODEL: 'none',
      AI_SEES_IMAGES: 'true',
    },
    connections: [
      ...servers.all.map(({ platformId, credentials }) => ({ platformId, credentials, slug: platformId })),
      { platformId: 'sandbox', credentials: {}, slug: 'my-sandbox' },
    ],
    servers: servers.all,
    listUrl: `${list.url}/`,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([list.close(), model[Symbol.asyncDispose](), servers[Symbol.asyncDispose]()]);
    },
  };
}

function startList(
  { now }: PlatformServerOptions,
  servers: readonly PlatformServer[],
  port: number | undefined,
): Promise<Wire> {
  return startWire({ now, port }, async () => {
    const existing = await Promise.all(
      servers.map(async (server) => [server.platformId, await server.existing()] as const),
    );
    return { status: 200, json: Object.fromEntries(existing) };
  });
}

/** Settings in shell syntax. */
export function asShell(env: Readonly<Record<string, string>>): string {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  return Object.entries(env)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
}

/** The shell command that connects an account; the key is in CARILLON_KEY. */
export function asCurl(connection: DevConnection, publicUrl: string): string {
  return [
    `curl -s ${publicUrl}/api/v2/connections`,
    `  -H "x-api-key: $CARILLON_KEY" -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(connection)}'`,
  ].join(' \\\n');
}
