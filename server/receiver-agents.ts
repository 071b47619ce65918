/** Connections to receivers, kept open for reuse. The guard opens each one and checks its address. */
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { NetConnectOpts, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { IN_FLIGHT_MAX } from '../services/webhooks/attempt-window.ts';

/** How long an idle connection is kept: shorter than servers usually keep theirs. */
const IDLE_MS = 4_000;

/** Idle connections that are kept to one receiver: as many as its webhook may have attempts in flight. */
const IDLE_MAX = IN_FLIGHT_MAX;

export interface ReceiverAgents {
  readonly http: HttpAgent;
  readonly https: HttpAgent;
  close(): void;
}

type Connected = (error: Error | null, socket?: Socket) => void;

export function openAgents(connector: buildConnector.connector): ReceiverAgents {
  const options: AgentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_MAX };
  const http = guarded(new HttpAgent(options), 'http:', connector);
  const https = guarded(new HttpsAgent(options), 'https:', connector);
  return {
    http,
    https,
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

function guarded(agent: HttpAgent, protocol: string, connector: buildConnector.connector): HttpAgent {
  const createConnection = ({ host, port }: { host?: string; port?: string | number }, connected: Connected) => {
    const hostname = host ?? '';
    try {
      connector({ protocol, hostname, host: hostname, port: String(port) }, (error, socket) =>
        error === null ? connected(null, socket) : connected(error),
      );
    } catch (error) {
      // The guard refuses an address in the URL itself synchronously.
      connected(error as Error);
    }
    return undefined;
  };
  return Object.assign(agent, {
    createConnection: createConnection as unknown as (options: NetConnectOpts, connected: Connected) => Socket,
  });
}
