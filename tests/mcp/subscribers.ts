/** Clients that subscribe to resources, with the SDK's own listen(). */
import { Client, type McpSubscription, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { World } from '../harness/world.ts';
import { MODERN } from './clients.ts';

export interface Notified {
  readonly uri: string;
  /** Id of the event behind it. */
  readonly eventId: string;
}

export interface Subscriber {
  readonly client: Client;
  /** The resources that the server agreed to watch. */
  readonly watched: readonly string[];
  /** How the stream ended: `graceful` when the server ended it on purpose. */
  readonly closed: McpSubscription['closed'];
  /** Waits for this many notifications in all, and gives the addresses of those since the last call. */
  next(count: number): Promise<string[]>;
  /** All notifications so far. */
  readonly received: readonly Notified[];
  close(): Promise<void>;
}

/** @param credential an API key or an access token */
export async function openClient(
  world: Pick<World, 'url'>,
  credential: string,
  fetchWith: typeof fetch = fetch,
): Promise<Client> {
  const client = new Client(
    { name: 'carillon-tests', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: MODERN } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), {
      fetch: fetchWith,
      requestInit: { headers: { authorization: `Bearer ${credential}` } },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** Subscribes and waits for the acknowledgement, so that every later event is notified. */
export async function subscribe(
  world: Pick<World, 'url'>,
  credential: string,
  uris: readonly string[],
  { after }: { readonly after?: string | undefined } = {},
): Promise<Subscriber> {
  const client = await openClient(world, credential, after === undefined ? fetch : continuingAfter(after));
  const received: Notified[] = [];
  let arrived = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    received.push({ uri: params.uri, eventId: String(params._meta?.['carillon/eventId']) });
    arrived.resolve();
  });
  const subscription = await client.listen({ resourceSubscriptions: [...uris] });
  let taken = 0;
  return {
    client,
    watched: subscription.honoredFilter.resourceSubscriptions ?? [],
    closed: subscription.closed,
    received,
    next: async (count) => {
      while (received.length < taken + count) {
        arrived = Promise.withResolvers<void>();
        await arrived.promise;
      }
      const since = received.slice(taken);
      taken = received.length;
      return since.map(({ uri }) => uri);
    },
    close: () => subscription.close(),
  };
}

/** The client has no option for `_meta` of a subscription, so its transport adds it. */
function continuingAfter(eventId: string): typeof fetch {
  return (input, init) => {
    const message = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    if (message?.method !== 'subscriptions/listen') return fetch(input, init);
    message.params._meta['carillon/lastEventId'] = eventId;
    return fetch(input, { ...init, body: JSON.stringify(message) });
  };
}
