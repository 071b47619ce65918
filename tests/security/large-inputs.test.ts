/** Deep or long inputs get a clear 400 on every surface, before any code reads their items. */
import { describe, expect, it } from 'vitest';
import { refusal } from '../harness/expected.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { LIVE_KEY, PUBLIC_URL, startWorld } from '../harness/world.ts';
import { callRaw } from '../mcp/clients.ts';

const world = await startWorld({ env: OWNER_ENV });

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const post = (field: string) => `{"text":"Hello","connectionSlugs":["sandbox"],${field}}`;

/** Bodies of POST /posts, the place of each fault, and a body that would be accepted. */
const BODIES: [string, string, string, string][] = [
  ['deep', post(`"extra":${nested(400_000)}`), `extra${'.0'.repeat(31)}`, 'at most 32 levels of nesting'],
  ['with 200,000 tags', post(`"tags":[${'"!",'.repeat(199_999)}"!"]`), 'tags', 'at most 1000 items'],
  [
    'with 50,000 unknown fields',
    `{${Array.from({ length: 50_000 }, (_, n) => `"f${n}":1`).join()}}`,
    '',
    'at most 1000 fields',
  ],
  [
    'with many lists',
    post(`"extra":[${Array.from({ length: 300 }, () => `[${'1,'.repeat(99)}1]`).join()}]`),
    '',
    'at most 20000 values in all',
  ],
];

const bad = (path: string, expected: string) => ({
  ...refusal('invalid_request', `${path === '' ? 'body' : path}: expected ${expected}.`),
  details: [{ path, expected }],
});

const json = { 'content-type': 'application/json' };

describe.each(BODIES)('a body %s is a 400', (_which, raw, path, expected) => {
  it('over REST', async () => {
    const { status, body } = await world.rest('POST /posts', { raw, headers: { ...json, 'idempotency-key': 'deep' } });

    expect([status, body]).toEqual([400, bad(path, expected)]);
  });

  it('over tRPC', async () => {
    const headers = { ...json, 'x-api-key': LIVE_KEY };
    const response = await fetch(`${world.url}/trpc/posts.create`, { method: 'POST', headers, body: raw });
    const body = (await response.json()) as { error: { data: { error: unknown } } };

    expect([response.status, body.error.data.error]).toEqual([400, bad(path, expected)]);
  });

  it('over MCP', async () => {
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":${raw}}}`;
    const { status, body } = await callRaw(world, { body: message });

    // The message has two more levels, which count too.
    const place = ['params.arguments', ...(path === '' ? [] : [path])].join('.');
    const shown = path.startsWith('extra') ? place.slice(0, -4) : expected.includes('in all') ? 'body' : place;
    expect([status, body]).toEqual([
      400,
      { jsonrpc: '2.0', error: { code: -32_600, message: `${shown}: expected ${expected}.` }, id: null },
    ]);
  });

  it('over the console', async () => {
    const browser = await signedInBrowser(world);
    const csrf = /<meta name="carillon-csrf" content="([^"]+)"/.exec((await browser.get('/')).text)?.[1] ?? '';
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...json, cookie, 'x-carillon-csrf': csrf, 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL };
    const response = await fetch(`${world.url}/owner/trpc/posts.create`, { method: 'POST', headers, body: raw });
    const body = (await response.json()) as { error: { data: { error: unknown } } };

    expect([response.status, body.error.data.error]).toEqual([400, bad(path, expected)]);
  });
});

it('deep JSON is a 4xx at client registration, and at the operator endpoints', async () => {
  const deep = `{"redirect_uris":${nested(20_000)}}`;
  const registered = await fetch(`${world.url}/oauth/register`, { method: 'POST', headers: json, body: deep });
  const [{ id }] = (await world.sql<{ id: string }>('select id from accounts limit 1')) as [{ id: string }];
  const headers = { ...json, authorization: `Bearer ${OWNER_ENV.OPERATOR_TOKEN}` };
  const operated = await fetch(`${world.url}/operator/accounts/${id}`, {
    method: 'PATCH',
    headers,
    body: `{"plan":${nested(4_000)}}`,
  });

  expect([registered.status, operated.status]).toEqual([400, 400]);
  expect(world.logged).toEqual([]);
});

it('a query parameter repeated hundreds of times is a 400 that names it', async () => {
  const { status, body } = await world.rest(`GET /posts?${'tag=a&'.repeat(1_001)}`);

  expect([status, body.message]).toEqual([400, 'tag: expected at most 1000 items.']);
});
