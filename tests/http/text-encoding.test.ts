/** Text that is not UTF-8 is refused wherever a request carries it: replacement characters would be stored or published. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { operations } from '../../routers/operations.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { consoleHeaders } from '../harness/console-calls.ts';
import { refusal } from '../harness/expected.ts';
import { sandboxOf } from '../harness/posts.ts';
import { OPERATOR, OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { IMAGE } from '../harness/tenant.ts';
import { startWorld } from '../harness/world.ts';
import { authorizeUrl, registered } from '../oauth/agents.ts';

const world = await startWorld({ env: OWNER_ENV });
const POST = JSON.stringify({ text: 'Grüße', connectionSlugs: ['sandbox'] });
const NOT_JSON = refusal('invalid_request', 'The body is not valid JSON in UTF-8.');

/** An encoding of `text` that is not UTF-8. */
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

const callError = (error: object) => ({
  error: {
    code: -32_600,
    message: NOT_JSON.message,
    data: { code: 'BAD_REQUEST', httpStatus: 400, error },
  },
});

async function trpc(path: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer>) {
  const response = await fetch(`${world.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  // eslint-disable-next-line typescript/no-explicit-any -- the tests assert the fields that they read
  return { status: response.status, body: (await response.json()) as any };
}

describe('/trpc', () => {
  it('refuses a call with a body in another encoding as POST /posts does, and publishes nothing', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const raw = latin1(POST);

    const answer = await trpc('/trpc/posts.create', { 'x-api-key': key }, raw);

    expect(answer).toEqual({ status: 400, body: callError(NOT_JSON) });
    expect((await world.rest('POST /posts', { key, raw })).body).toEqual(NOT_JSON);
    expect(await sandboxOf(world, connection.id)).toEqual([]);
  });

  it('refuses each call of a batch', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const raw = latin1(`{"0":{"text":"Hello","connectionSlugs":["sandbox"]},"1":${POST}}`);

    const answer = await trpc('/trpc/posts.create,posts.create?batch=1', { 'x-api-key': key }, raw);

    expect(answer).toEqual({ status: 400, body: [callError(NOT_JSON), callError(NOT_JSON)] });
    expect(await sandboxOf(world, connection.id)).toEqual([]);
  });

  it('refuses a read with an input in another encoding', async () => {
    const message = 'The query is not in UTF-8. Percent-encode its values as UTF-8, such as %C3%BC for ü.';

    const { status, body } = await trpc('/trpc/posts.list?input=%7B%22tag%22%3A%22Gr%FC%DFe%22%7D', {
      'x-api-key': world.liveKey,
    });

    expect([status, body.error.message, body.error.data.error]).toEqual([
      400,
      message,
      refusal('invalid_request', message),
    ]);
  });

  it('takes a body whose characters are split over several packets', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const sent = httpRequest(`${world.url}/trpc/posts.create`, { method: 'POST', headers }, resolve);
    sent.setNoDelay(true);
    for (const byte of Buffer.from(POST)) sent.write(Buffer.from([byte]));
    sent.end();

    const response = await promise;
    response.resume();

    expect(response.statusCode).toBe(200);
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Grüße' }]);
  });

  it('refuses a call of the console too', async () => {
    const headers = await consoleHeaders(await signedInBrowser(world));

    const answer = await trpc('/owner/trpc/profiles.create', headers, latin1('{"name":"Grüße"}'));

    expect(answer).toEqual({ status: 400, body: callError(NOT_JSON) });
  });
});

describe('a query', () => {
  const BAD = refusal(
    'invalid_request',
    'The query is not in UTF-8. Percent-encode its values as UTF-8, such as %C3%BC for ü.',
  );

  it.each(operations.filter(({ meta }) => meta.access === 'public'))(
    'is also refused by the public operation $name, which declares that, with its unknown arguments over tRPC',
    async ({ name, meta }) => {
      const { path } = meta.openapi;

      const overRest = await world.rest(`GET ${path}?x=%ff`, { key: null });
      const overTrpc = await trpc(`/trpc/${name}?input=${encodeURIComponent('{"x":1}')}`, {});

      expect([overRest.status, overRest.body]).toEqual([400, BAD]);
      expect([overTrpc.status, overTrpc.body.error.data.error.error]).toEqual([400, 'invalid_request']);
      const { body } = await world.rest('GET /openapi.json', { key: null });
      expect(body.paths[path].get.responses['400'].description).toContain('`invalid_request`');
    },
  );

  it.each(['POST /media?altText=Gr%FC%DFe', 'POST /media?altText=a%ED%A0%BD'] as const)(
    'that is percent-encoded in another way is refused: %s',
    async (call) => {
      const { status, body } = await world.rest(call, { raw: IMAGE, headers: { 'content-type': 'image/png' } });

      expect([status, body]).toEqual([400, BAD]);
      expect(await world.sql('select id from media')).toEqual([]);
    },
  );

  it('of an export that is percent-encoded in another way is refused', async () => {
    const { status, body } = await world.rest('GET /exports/posts?format=ndjson&note=Gr%FC%DFe');

    expect([status, body]).toEqual([400, BAD]);
  });

  it('of an agent that asks for access is refused on a page, because its state would come back damaged', async () => {
    const clientId = await registered(world);
    const browser = await signedInBrowser(world);

    const { status, location, text } = await browser.get(
      authorizeUrl({ clientId }).replace('state=a-state', 'state=Gr%FC%DFe'),
    );

    expect([status, location]).toEqual([400, null]);
    expect(text).toContain('<code>invalid_request</code>, the query is not in UTF-8');
    const intact = await browser.get(authorizeUrl({ clientId, params: { state: 'Grüße' } }));
    expect([intact.status, intact.location]).toEqual([303, expect.stringContaining('/oauth/interaction/')]);
  });

  it('keeps a percent sign that encodes nothing', async () => {
    const { body } = await world.rest('POST /media?altText=100%25%20or%20100%,%20Gr%C3%BC%C3%9Fe', {
      raw: IMAGE,
      headers: { 'content-type': 'image/png' },
    });

    expect(body.media.altText).toBe('100% or 100%, Grüße');
  });
});

it('the form of a page that is not UTF-8 is refused, and nothing is created', async () => {
  const owner = await signedInBrowser(world);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await owner.get('/owner')).text)?.[1] ?? '';
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const count = () => world.sql('select count(*)::int as keys from api_keys');
  const before = await count();
  const send = (name: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${world.url}/owner/keys`, {
      method: 'POST',
      headers: { cookie, origin: 'http://localhost:3000', 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
  const fields = new URLSearchParams({ csrf, type: 'live', password: 'four bells at midnight' }).toString();

  for (const name of ['Grüße', 'Gr%FC%DFe']) {
    const response = await send(name, latin1(`${fields}&name=${name}`));

    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('What this browser sent cannot be read. Go back and try again.'),
    ]);
  }
  expect(await count()).toEqual(before);
});

it('the operator’s JSON that is not UTF-8 is refused, and nothing is created', async () => {
  const [{ id } = { id: '' }] = await world.sql<{ id: string }>('select id from accounts order by id limit 1');

  const response = await fetch(`${world.url}/operator/accounts/${id}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
    body: latin1('{"name":"Grüße","type":"live"}'),
  });

  expect([response.status, await response.json()]).toEqual([400, NOT_JSON]);
});

it('the registration of an agent whose name is not UTF-8 is refused', async () => {
  const response = await fetch(`${world.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: latin1('{"client_name":"Grüße","redirect_uris":["https://agent.example/callback"]}'),
  });

  expect([response.status, await response.json()]).toEqual([
    400,
    {
      error: 'invalid_client_metadata',
      error_description: 'client_name holds the character U+FFFD; send the registration in UTF-8',
    },
  ]);
});
