/**
 * The requests of the Instagram and Threads adapters, against Meta's own descriptions of its APIs: every parameter
 * belongs to the operation, and no required one is missing.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { AnyPlatform, OutgoingImage, PlatformEndpoints } from '../../platforms/contract.ts';
import { instagram } from '../../platforms/instagram/index.ts';
import { threads } from '../../platforms/threads/index.ts';
import { plain } from '../harness/images.ts';
import type { FakeContainers } from '../platforms/fakes/fake-containers.ts';
import { startFakeInstagram } from '../platforms/fakes/fake-instagram.ts';
import { startFakeThreads } from '../platforms/fakes/fake-threads.ts';
import { startWire } from '../platforms/fakes/wire.ts';
import { headPart, sessionOf, StoppedClock, testIo } from '../platforms/harness.ts';
import { peerScript } from './ensure-peers.ts';

const users = peerScript('descriptions/meta/IGUser.json');
const collection = peerScript('descriptions/threads/threads-api.postman_collection.json');

/** An operation: its parameters, by name, and whether each is required. */
type Operations = Map<string, Map<string, boolean>>;

const clock = new StoppedClock();
const JPEG = await plain(40, 40).jpeg().toBuffer();
const images = await startWire(clock, () => ({
  status: 200,
  bytes: JPEG,
  headers: { 'content-type': 'image/jpeg' },
}));
const instagramServer = await startFakeInstagram({ now: clock.now });
const threadsServer = await startFakeThreads({ now: clock.now });
instagramServer.addAccount('178', 'thebells', 'token');
threadsServer.addAccount('178', 'thebells', 'token');
afterAll(() => Promise.all([images.close(), instagramServer.close(), threadsServer.close()]));

const image: OutgoingImage = {
  mediaId: 'm',
  bytes: JPEG,
  contentType: 'image/jpeg',
  width: 40,
  height: 40,
  altText: 'A bell',
  url: `${images.url}/bell.jpg`,
};

/** Connects, posts in every format, and searches for the posts; returns the requests to the server. */
async function asked(platform: AnyPlatform, server: FakeContainers, credentials: object, endpoints: object) {
  const io = testIo(clock.now, endpoints as Partial<PlatformEndpoints>);
  const session = sessionOf(await platform.connectAccount(credentials, io));
  const shapes = platform.images?.min === 1 ? [[image], [image, image]] : [[], [image], [image, image]];
  for (const shown of shapes) {
    const prepared = (await platform.assemble?.(session, { text: 'Ding', images: shown }, io)) ?? null;
    const part = { ...headPart('Ding', 'attempt', clock.now()), prepared };
    await platform.publish(session, part, io);
    await platform.readBack?.(session, part, io);
  }
  return server.requests;
}

/** The mismatches of a request; nothing for an operation that is not described. */
function faults(operations: Operations, requests: FakeContainers['requests'], everywhere: readonly string[]): string[] {
  return requests.flatMap(({ method, path, parameters }) => {
    const known = operations.get(`${method} ${path}`);
    if (known === undefined) return [];
    const strange = Object.keys(parameters).filter((name) => !known.has(name) && !everywhere.includes(name));
    const lacking = [...known].filter(([name, required]) => required && parameters[name] === undefined);
    return [...strange, ...lacking.map(([name]) => name)].map((name) => `${method} ${path}: ${name}`);
  });
}

describe.skipIf(users === undefined)('Instagram', () => {
  it('gets only requests that Meta describes for its accounts', async () => {
    const { apis, fields } = JSON.parse(await readFile(users ?? '', 'utf8')) as {
      apis: { method: string; endpoint: string; params: { name: string; required?: boolean }[] }[];
      fields: { name: string }[];
    };
    const operations: Operations = new Map(
      apis.map(({ method, endpoint, params }) => [
        `${method} /:id/${endpoint}`,
        new Map(params.map(({ name, required }) => [name, required === true])),
      ]),
    );

    const requests = await asked(
      instagram,
      instagramServer,
      { userId: '178', accessToken: 'token' },
      { META_GRAPH_URL: instagramServer.url },
    );

    // Every call may request fields and a page size.
    expect(faults(operations, requests, ['fields', 'limit'])).toEqual([]);
    const described = requests.filter(({ method, path }) => operations.has(`${method} ${path}`));
    expect([...new Set(described.map(({ method, path }) => `${method} ${path}`))].toSorted()).toEqual([
      'GET /:id/content_publishing_limit',
      'GET /:id/media',
      'POST /:id/media',
      'POST /:id/media_publish',
    ]);
    const askedOfUser = requests.find(({ method, path }) => method === 'GET' && path === '/:id')?.parameters['fields'];
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining((askedOfUser ?? '').split(',')));
  });
});

interface Item {
  readonly item?: readonly Item[];
  readonly request?: {
    readonly method: string;
    readonly url: { readonly path: readonly string[]; readonly query?: readonly { readonly key: string }[] };
  };
}

describe.skipIf(collection === undefined)('Threads', () => {
  it('gets only requests from Meta’s own collection', async () => {
    const text = await readFile(collection ?? '', 'utf8');
    const { item, variable } = JSON.parse(text) as Item & { variable: { key: string; value: string }[] };
    const operations: Operations = new Map();
    const collect = ({ item: items, request }: Item): void => {
      items?.forEach(collect);
      if (request === undefined) return;
      const path = request.url.path.filter((step) => step !== '').map((step) => step.replace(/^\{\{.*\}\}$/, ':id'));
      const name = `${request.method} /${path.join('/')}`;
      const known = operations.get(name) ?? new Map<string, boolean>();
      for (const { key } of request.url.query ?? []) known.set(key, key === 'creation_id' || key === 'grant_type');
      operations.set(name, known);
    };
    collect({ item: item ?? [] });

    const credentials = { accessToken: 'token', expiresAt: '2026-11-25T09:00:00Z' };
    clock.advance(86_400_000);
    const requests = await asked(threads, threadsServer, credentials, { THREADS_API_URL: threadsServer.url });

    expect(faults(operations, requests, ['access_token'])).toEqual([]);
    expect(requests.filter(({ method, path }) => !operations.has(`${method} ${path}`))).toEqual([]);
    expect(requests.some(({ path }) => path === '/refresh_access_token')).toBe(true);
    const fieldsOf = (key: string) => variable.find((one) => one.key === key)?.value.split(',');
    const listed = requests.find(({ method, path }) => method === 'GET' && path === '/me/threads');
    expect(fieldsOf('fields_threads')).toEqual(expect.arrayContaining(listed?.parameters['fields']?.split(',') ?? []));
    expect(fieldsOf('fields_profile')).toEqual(expect.arrayContaining(['id', 'username']));
    expect(fieldsOf('fields_container')).toEqual(expect.arrayContaining(['status', 'error_message']));
  });
});
