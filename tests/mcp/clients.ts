/** The real clients, connected to a world's /mcp, and a raw request for what they would never send. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ClientCapabilities as V1Capabilities } from '@modelcontextprotocol/sdk/types.js';
import type { World } from '../harness/world.ts';

const INFO = { name: 'carillon-tests', version: '1.0.0' };

export const MODERN = '2026-07-28';

/** The current client: at the current revision, or with the handshake of the revisions before it. */
export async function connect(
  world: World,
  era: 'modern' | 'legacy' = 'modern',
  key = world.liveKey,
  path = '/mcp',
  capabilities: ClientCapabilities = {},
): Promise<Client> {
  const versionNegotiation = { mode: era === 'modern' ? { pin: MODERN } : 'legacy' } as const;
  const client = new Client(INFO, { capabilities, versionNegotiation });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.url}${path}`), {
      requestInit: { headers: { 'x-api-key': key } },
    }),
  );
  return client;
}

/** The client of the year before, which many hosts still ship. */
export async function connectV1(
  world: World,
  key = world.liveKey,
  path = '/mcp',
  capabilities: V1Capabilities = {},
): Promise<V1Client> {
  const client = new V1Client(INFO, { capabilities });
  const transport = new V1Transport(new URL(`${world.url}${path}`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  // Its own types conflict under exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Parameters<V1Client['connect']>[0]);
  return client;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
  readonly body: any;
}

export interface RawRequest {
  readonly method?: string;
  /** Sent with the live key by default; undefined omits a header. */
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string | Uint8Array;
  /** `/mcp` when omitted. */
  readonly path?: string;
}

/** Sends any request; fetch would not let a test choose the Host. */
export function callRaw(
  world: World,
  { method = 'POST', headers = {}, body, path = '/mcp' }: RawRequest = {},
): Promise<RawAnswer> {
  const all = {
    'x-api-key': world.liveKey,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const sent = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${world.url}${path}`, { method, headers: sent, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parse(text) });
      });
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A message of the revisions before 2026-07-28. */
export function legacy(method: string, params: unknown = {}, id: number | null = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params });
}

/** JSON, or the messages of an event stream: the only one, or all of them. */
function parse(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  const messages = lines.map((line) => line.slice('data: '.length).trim()).filter((data) => data !== '');
  if (messages.length === 1) return JSON.parse(messages[0] ?? '');
  if (messages.length > 1) return messages.map((message) => JSON.parse(message));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
