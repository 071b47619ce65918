/**
 * The clients that hosts ship, against the process: with a key, and the whole flow from a bare 401 to a refreshed
 * token.
 */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as V1UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { callsTo, LIVE_KEY } from '../crash/server-process.ts';
import type { Browser } from '../harness/browser.ts';
import { signedInBrowser } from '../harness/owner.ts';
import { aHost, agree } from '../oauth/agent-host.ts';

const { owned } = inject('mcp');
const ENDPOINT = new URL(`${owned}/mcp`);
const INFO = { name: 'carillon-suite', version: '1.0.0' };

/** Its client authentication. */
type Proof = { readonly requestInit: RequestInit } | { readonly authProvider: OAuthClientProvider };

interface Connecting {
  connect(): Promise<Pick<Client, 'callTool' | 'close'>>;
  finishAuth(code: URLSearchParams): Promise<void>;
}

function today(mode: 'auto' | 'legacy'): (proof: Proof) => Connecting {
  return (proof) => {
    const transport = new StreamableHTTPClientTransport(ENDPOINT, proof);
    const client = new Client(INFO, { versionNegotiation: { mode } });
    return {
      connect: () => client.connect(transport).then(() => client),
      finishAuth: (answer) => transport.finishAuth(answer),
    };
  };
}

function v1(proof: Proof): Connecting {
  // Its own types conflict under exactOptionalPropertyTypes.
  const transport = new V1Transport(ENDPOINT, proof as ConstructorParameters<typeof V1Transport>[1]);
  const client = new V1Client(INFO);
  return {
    connect: async () => {
      await client.connect(transport as unknown as Parameters<V1Client['connect']>[0]);
      return client as unknown as Client;
    },
    finishAuth: (answer) => transport.finishAuth(answer.get('code') ?? ''),
  };
}

const CLIENTS: [name: string, open: (proof: Proof) => Connecting, refusal: new () => Error][] = [
  ['today’s client, at the current revision', today('auto'), UnauthorizedError],
  ['today’s client, at the revisions before it', today('legacy'), UnauthorizedError],
  ['the v1 client', v1, V1UnauthorizedError],
];

const LIST = { name: 'list_connections', arguments: {} };
// Other tests share the product, and connect separate accounts.
const SANDBOX = { connections: expect.arrayContaining([expect.objectContaining({ slug: 'sandbox' })]) };

let browser: Browser;
beforeAll(async () => {
  browser = await signedInBrowser({ url: owned });
});

describe.each(CLIENTS)('%s', (_name, open, refusal) => {
  it.each([
    ['x-api-key', LIVE_KEY],
    ['authorization', `Bearer ${LIVE_KEY}`],
  ])('works with a key in %s', async (header, value) => {
    const client = await open({ requestInit: { headers: { [header]: value } } }).connect();

    expect((await client.callTool(LIST)).structuredContent).toMatchObject(SANDBOX);
    await client.close();
  });

  it('registers, gets consent, works, and refreshes its token automatically', async () => {
    const host = aHost();
    const first = open({ authProvider: host.provider });
    await expect(first.connect()).rejects.toThrow(refusal);
    await first.finishAuth(await agree(browser, host.asked.at(-1)));
    const client = await open({ authProvider: host.provider }).connect();
    expect((await client.callTool(LIST)).structuredContent).toMatchObject(SANDBOX);
    const before = host.stored['tokens'] as { access_token: string; refresh_token: string };
    await callsTo(owned).rest('POST /simulation/clock', { body: { advanceSeconds: 700 } });

    expect((await client.callTool(LIST)).structuredContent).toMatchObject(SANDBOX);

    const after = host.stored['tokens'] as typeof before;
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(host.asked).toHaveLength(1);
    await client.close();
  });
});

it('today’s client is notified of a post that it watches, until the key is revoked', async () => {
  const { rest } = callsTo(owned);
  const { body: profile } = await rest('POST /profiles', { body: { name: 'Watched' } });
  const { body: minted } = await rest(`POST /profiles/${profile.profile.id}/keys`, {
    body: { name: 'Watcher', type: 'live' },
  });
  await rest('POST /connections', {
    body: { platformId: 'sandbox', credentials: {}, slug: 'watched', profileId: profile.profile.id },
  });
  const { body: made } = await rest('POST /posts', {
    body: { text: 'Watched', connectionSlugs: ['watched'], isDraft: true, profileId: profile.profile.id },
  });
  const uri = `carillon://posts/${made.results[0].postId}`;
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { 'x-api-key': minted.secret } };
  await client.connect(new StreamableHTTPClientTransport(ENDPOINT, { requestInit }));
  const notified = Promise.withResolvers<string>();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => notified.resolve(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: [uri, 'carillon://connections/watched'] });

  await rest(`POST /posts/${made.results[0].postId}/publish`, { body: {} });

  expect(await notified.promise).toBe(uri);
  await rest(`DELETE /profiles/${profile.profile.id}/keys/${minted.key.id}`);
  expect(await subscription.closed).toBe('graceful');
  await client.close();
});
