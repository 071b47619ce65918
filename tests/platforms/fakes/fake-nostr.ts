/** A relay of Nostr that checks every signature, and a Blossom server for images, at one address. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { schnorr } from '@noble/curves/secp256k1.js';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Fault, WireCall, WireOptions } from './wire.ts';

export interface RelayEvent {
  readonly id: string;
  readonly pubkey: string;
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly string[][];
  readonly content: string;
  readonly sig: string;
}

interface Filter {
  readonly ids?: readonly string[];
  readonly authors?: readonly string[];
  readonly kinds?: readonly number[];
  readonly '#e'?: readonly string[];
  readonly limit?: number;
  readonly until?: number;
}

export interface FakeNostrOptions extends WireOptions {
  /** The relay wants a sign-in before it takes or gives anything. */
  readonly wantsAuth?: true;
  /** Limits that it states. */
  readonly limitation?: Readonly<Record<string, number>>;
}

export interface FakeNostr {
  /** Address of the relay. */
  readonly relay: string;
  /** Origin of the server for images. */
  readonly url: string;
  /** Faults of the next notes. */
  readonly faults: Fault[];
  /** What it answers to the next note instead of storing it, such as `blocked: no bells`. */
  readonly refusals: string[];
  /** What the server for images answers to the next uploads instead of storing them. */
  readonly imageRefusals: { readonly status: number; readonly headers: Readonly<Record<string, string>> }[];
  /** Stored events, in the order of arrival. */
  readonly events: RelayEvent[];
  /** Addresses of stored images, by their hash. */
  readonly images: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

const NOTE = 1;
const DELETION = 5;
const RELAY_AUTH = 22_242;
const BLOSSOM_AUTH = 24_242;
const CHALLENGE = 'challenge-of-the-relay';

/** Whether the id is the hash of the content, and the signature that of the author. */
function isGenuine({ id, pubkey, created_at: createdAt, kind, tags, content, sig }: RelayEvent): boolean {
  const hash = createHash('sha256')
    .update(JSON.stringify([0, pubkey, createdAt, kind, tags, content]))
    .digest('hex');
  return hash === id && schnorr.verify(Buffer.from(sig, 'hex'), Buffer.from(id, 'hex'), Buffer.from(pubkey, 'hex'));
}

const tagOf = ({ tags }: RelayEvent, name: string) => tags.find(([tag]) => tag === name)?.[1];

function matches(event: RelayEvent, { ids, authors, kinds, '#e': named, until }: Filter): boolean {
  const references = event.tags.filter(([tag]) => tag === 'e').map(([, id]) => id ?? '');
  return (
    (ids?.includes(event.id) ?? true) &&
    (authors?.includes(event.pubkey) ?? true) &&
    (kinds?.includes(event.kind) ?? true) &&
    event.created_at <= (until ?? Infinity) &&
    (named?.some((id) => references.includes(id)) ?? true)
  );
}

export async function startFakeNostr({
  now,
  port = 0,
  tap,
  wantsAuth,
  limitation,
}: FakeNostrOptions): Promise<FakeNostr> {
  const faults: Fault[] = [];
  const refusals: string[] = [];
  const imageRefusals: FakeNostr['imageRefusals'] = [];
  const events: RelayEvent[] = [];
  const images = new Map<string, string>();

  const store = (event: RelayEvent) => {
    if (events.some(({ id }) => id === event.id)) return;
    events.push(event);
    if (event.kind !== DELETION) return;
    const deleted = event.tags.filter(([tag]) => tag === 'e').map(([, id]) => id);
    for (const other of events.filter(({ id, pubkey }) => deleted.includes(id) && pubkey === event.pubkey)) {
      events.splice(events.indexOf(other), 1);
    }
  };

  const serveHttp = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET' && request.headers.accept === 'application/nostr+json') {
      return json(200, { name: 'Fake relay', ...(limitation && { limitation }) });
    }
    if (request.method !== 'PUT' || request.url !== '/upload') return json(404, {});
    const refusal = imageRefusals.shift();
    if (refusal !== undefined) return response.writeHead(refusal.status, refusal.headers).end();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const [, encoded = ''] = /^Nostr (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const permission = JSON.parse(Buffer.from(encoded, 'base64').toString()) as RelayEvent;
    const isValid = Number(tagOf(permission, 'expiration')) > now().getTime() / 1_000;
    const isPermitted =
      permission.kind === BLOSSOM_AUTH && tagOf(permission, 't') === 'upload' && tagOf(permission, 'x') === sha256;
    if (!isGenuine(permission) || !isPermitted || !isValid) return json(401, {});
    const url = `${origin}/${sha256}`;
    images.set(sha256, url);
    return json(200, { url, sha256, size: bytes.length, type: request.headers['content-type'], uploaded: 0 });
  };
  const server = createServer((request, response) => void serveHttp(request, response));
  const sockets = new WebSocketServer({ server });

  const takeNote = async (socket: WebSocket, event: RelayEvent) => {
    const answer = (isAccepted: boolean, words: string) =>
      socket.send(JSON.stringify(['OK', event.id, isAccepted, words]));
    const fault = faults.shift();
    const refusal = refusals.shift();
    if (refusal !== undefined) return answer(false, refusal);
    if (fault === undefined || fault.endsWith('_after')) store(event);
    switch (fault) {
      case undefined:
        return answer(true, '');
      case 'rate_limited':
        return answer(false, 'rate-limited: slow down');
      case 'fails_before':
      case 'fails_after':
        return answer(false, 'error: the disk is full');
      case 'drops_before':
      case 'drops_after':
        return socket.terminate();
      case 'holds_before':
      case 'holds_after':
        return undefined;
      case 'web_page':
        return answer(false, 'blocked: not welcome here');
    }
  };

  sockets.on('connection', (socket) => {
    let isSignedIn = wantsAuth !== true;
    if (!isSignedIn) socket.send(JSON.stringify(['AUTH', CHALLENGE]));
    socket.on('message', (data: Buffer) => {
      const [type, first, second] = JSON.parse(data.toString()) as [string, RelayEvent & string, Filter];
      if (type === 'AUTH') {
        const isHere =
          first.kind === RELAY_AUTH && tagOf(first, 'challenge') === CHALLENGE && tagOf(first, 'relay') === relay;
        isSignedIn = isHere && isGenuine(first);
        socket.send(JSON.stringify(['OK', first.id, isSignedIn, isSignedIn ? '' : 'restricted: not you']));
      } else if (type === 'REQ' && !isSignedIn) {
        socket.send(JSON.stringify(['CLOSED', first, 'auth-required: sign in']));
      } else if (type === 'REQ') {
        const limit = Math.min(second.limit ?? Infinity, limitation?.['max_limit'] ?? Infinity);
        const newest = events
          .filter((one) => matches(one, second))
          .toSorted((a, b) => b.created_at - a.created_at)
          .slice(0, limit);
        for (const event of newest) socket.send(JSON.stringify(['EVENT', first, event]));
        socket.send(JSON.stringify(['EOSE', first]));
      } else if (type === 'EVENT' && !isSignedIn) {
        socket.send(JSON.stringify(['OK', first.id, false, 'auth-required: sign in']));
      } else if (type === 'EVENT' && !isGenuine(first)) {
        socket.send(JSON.stringify(['OK', first.id, false, 'invalid: bad signature']));
      } else if (type === 'EVENT' && first.kind === NOTE) {
        void tapped(socket, first);
      } else if (type === 'EVENT') {
        store(first);
        socket.send(JSON.stringify(['OK', first.id, true, '']));
      }
    });
  });

  const tapped = async (socket: WebSocket, event: RelayEvent) => {
    const call: WireCall = {
      method: 'EVENT',
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      json: event,
      form: undefined,
      bytes: Buffer.from(event.content),
    };
    if ((await tap?.('arrived', call)) === 'lost') return socket.terminate();
    if ((await tap?.('decided', call, 200)) === 'lost') {
      store(event);
      return socket.terminate();
    }
    await takeNote(socket, event);
    await tap?.('answered', call);
  };

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [origin, relay] = [`http://${host}`, `ws://${host}`];
  return {
    relay,
    url: origin,
    faults,
    refusals,
    imageRefusals,
    events,
    images,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
