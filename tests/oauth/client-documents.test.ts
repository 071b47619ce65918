/** Clients that are identified by the address of a metadata document, which the outbound guard fetches. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSigningKey } from '../../services/oauth/signing-keys.ts';
import { SELF_SIGNED } from '../harness/self-signed.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import {
  answered,
  authorizeUrl,
  CALLBACK,
  callTool,
  codeFor,
  openConsent,
  type Person,
  redeem,
  refresh,
  signIn,
} from './agents.ts';

const trusted = getCACertificates('default');
const asked: string[] = [];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
const server = createServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.certificate }, (request, response) => {
  asked.push(request.url ?? '');
  answer(response, request);
});

let world: World;
let person: Person;
let origin: string;
beforeAll(async () => {
  // The equivalent of NODE_EXTRA_CA_CERTS for a whole process.
  setDefaultCACertificates([...trusted, SELF_SIGNED.certificate]);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await startWorld();
  person = await signIn(world);
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  server.closeAllConnections();
  server.close();
});

let made = 0;
/** A separate address, because documents are cached for a while. */
function newClient(fields: object = {}, headers: Record<string, string> = {}): string {
  made += 1;
  const clientId = `${origin}/client-${made}.json`;
  const document = { client_id: clientId, client_name: 'Documented', redirect_uris: [CALLBACK], ...fields };
  answer = (response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document));
  return clientId;
}

const statusOf = async (clientId: string, where = person.browser) => {
  const { status, location, text } = await where.get(authorizeUrl({ clientId }));
  return { status, location, text };
};

describe('a client with a document', () => {
  it('completes the whole flow, and is shown with the host of its redirect address', async () => {
    const clientId = newClient({ token_endpoint_auth_method: 'none', scope: 'whatever', grant_types: undefined });
    const consent = await openConsent(person.browser, { clientId });
    expect(consent.text).toContain('Allow <span dir="auto">Documented</span>?');
    expect(consent.text).toContain('<strong dir="ltr">agent.example</strong>');

    const back = await answered(person.browser, consent);
    const { body } = await redeem(world, clientId, back.searchParams.get('code') ?? '');
    expect((await callTool(world, body.access_token, 'list_posts')).status).toBe(200);
    expect((await refresh(world, clientId, body.refresh_token)).status).toBe(200);
  });

  it('is not fetched again at every step', async () => {
    const clientId = newClient();
    await codeFor(person, { clientId });

    expect(asked.filter((path) => clientId.endsWith(path))).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['is no text', { token_endpoint_auth_method: { toString: 'client_secret_basic' } }],
    ['is null', { token_endpoint_auth_method: null }],
  ])('whose way to authenticate %s is public', async (_name, fields) => {
    const consent = await openConsent(person.browser, { clientId: newClient(fields) });

    expect(consent.text).toContain('Allow <span dir="auto">Documented</span>?');
  });

  it('stores nothing', async () => {
    await codeFor(person, { clientId: newClient() });

    expect(await world.sql(`select 1 from oauth_artifacts where kind = 'Client'`)).toEqual([]);
  });

  it.each<[string, () => string]>([
    ['says it is somebody else', () => newClient({ client_id: 'https://other.example/client.json' })],
    ['has a secret', () => newClient({ client_secret: 'hush' })],
    ['wants to have one', () => newClient({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['takes answers over plain http', () => newClient({ redirect_uris: ['http://evil.example/cb'] })],
    ['takes answers in a script', () => newClient({ redirect_uris: ['javascript:alert(1)'] })],
    ['is longer than 5 KiB', () => newClient({ client_uri: `https://agent.example/${'x'.repeat(5_200)}` })],
    [
      'is somewhere else by now',
      () => {
        const clientId = newClient();
        answer = (response) => response.writeHead(302, { location: `${origin}/elsewhere.json` }).end();
        return clientId;
      },
    ],
    [
      'is no JSON',
      () => {
        const clientId = newClient();
        answer = (response) => response.end('<html>');
        return clientId;
      },
    ],
    [
      'is not UTF-8',
      () => {
        const clientId = newClient();
        const document = JSON.stringify({ client_id: clientId, client_name: 'Grüße', redirect_uris: [CALLBACK] });
        answer = (response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from(document, 'latin1'));
        return clientId;
      },
    ],
    [
      'is not there',
      () => {
        const clientId = newClient();
        answer = (response) => response.writeHead(404).end('{}');
        return clientId;
      },
    ],
  ])('that %s is answered by a page without a redirect', async (_name, make) => {
    expect(await statusOf(make())).toMatchObject({ status: 400, location: null });
    expect(asked).not.toContain('/elsewhere.json');
  });

  it.each([
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://169.254.169.254/client.json',
    'https://10.0.0.1/client.json',
  ])('at %s, which the install may not reach, is not fetched', async (clientId) => {
    const strict = await startWorld({ env: { OUTBOUND_ALLOW: '' } });
    const before = asked.length;
    const here = clientId.replace('https://127.0.0.1', origin);

    expect(await statusOf(here, (await signIn(strict)).browser)).toMatchObject({ status: 400, location: null });
    expect(asked.length).toBe(before);
    await strict.close();
  });

  it('is not fetched when an address has named thirty within a minute', async () => {
    const busy = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60' } });
    const { browser } = await signIn(busy);
    const statuses = [];
    for (let named = 0; named < 30; named += 1) statuses.push((await statusOf(newClient(), browser)).status);
    const before = asked.length;
    const refused = await browser.get(authorizeUrl({ clientId: newClient() }));

    expect(statuses).toEqual(Array.from({ length: 30 }, () => 303));
    expect([refused.status, refused.location, refused.headers.get('retry-after')]).toEqual([429, null, '60']);
    expect(refused.text).toContain('<h1>Not now</h1>');
    const program = await redeem(busy, newClient(), 'a-code');
    expect([program.status, program.body.error, program.headers.get('retry-after')]).toEqual([
      429,
      'too_many_requests',
      '60',
    ]);
    expect(asked.length).toBe(before);
    await busy.close();
  });

  it('over plain http is refused, also when the operator allows the network', async () => {
    expect(await statusOf(newClient().replace('https:', 'http:'))).toMatchObject({ status: 400, location: null });
  });
});

describe('a consent page whose document is no longer in the cache', () => {
  const ADVICE = 'Wait a minute, then open this page again';
  // A provider remembers the documents that it fetched, and a new signing key makes a new provider.
  const forgetDocuments = (where = world) => addSigningKey(where.context);

  it('reads it again, and Allow leads to the client', async () => {
    const clientId = newClient();
    const consent = await openConsent(person.browser, { clientId });
    await forgetDocuments();

    const pressed = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });
    const back = await person.browser.get(pressed.location ?? '');

    expect([pressed.status, back.status, back.location?.startsWith(`${CALLBACK}?code=`)]).toEqual([303, 303, true]);
    expect(asked.filter((path) => clientId.endsWith(path))).toHaveLength(2);
  });

  it('says so when it is gone, and takes the answer when it is back', async () => {
    const clientId = newClient();
    const consent = await openConsent(person.browser, { clientId });
    const whole = answer;
    await forgetDocuments();
    answer = (response) => response.writeHead(404).end('{}');

    const refused = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });
    answer = whole;

    expect([refused.status, refused.location]).toEqual([400, null]);
    expect(refused.text).toContain(`${clientId} was not accepted: client_id metadata document fetch failed.`);
    expect(refused.text).toContain(ADVICE);
    expect((await answered(person.browser, consent)).searchParams.get('code')).not.toBeNull();
  });

  it('takes Deny without its document, and keeps it as the answer', async () => {
    const clientId = newClient();
    const consent = await openConsent(person.browser, { clientId });
    const whole = answer;
    await forgetDocuments();
    answer = (response) => response.writeHead(404).end('{}');

    const denied = await person.browser.press(consent, 'Deny');
    const again = await person.browser.press(consent, 'Deny');
    answer = whole;
    const late = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });

    const back = `${CALLBACK}?error=access_denied&error_description=the+owner+said+no&state=a-state&iss=`;
    const url = back + encodeURIComponent(PUBLIC_URL);
    for (const { status, location } of [denied, again, late]) expect([status, location]).toEqual([303, url]);
    expect(await world.sql('select 1 from oauth_grants where client_id = $1', [clientId])).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['answers that it is busy', (response) => response.writeHead(503).end()],
    ['shows a page to people', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['hangs up', (response) => response.destroy()],
  ])('keeps its tokens while the server of its document %s', async (_name, fails) => {
    const clientId = newClient();
    const { body } = await redeem(world, clientId, await codeFor(person, { clientId }));
    const whole = answer;
    await forgetDocuments();
    answer = fails;

    const refused = await refresh(world, clientId, body.refresh_token);
    answer = whole;

    expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '30',
    ]);
    expect((await refresh(world, clientId, body.refresh_token)).status).toBe(200);
  });

  it('is an unknown client when its document is gone', async () => {
    const clientId = newClient();
    const { body } = await redeem(world, clientId, await codeFor(person, { clientId }));
    await forgetDocuments();
    answer = (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>Not found');

    const refused = await refresh(world, clientId, body.refresh_token);

    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client']);
  });

  it('counts towards the thirty that an address may have read within a minute', async () => {
    const busy = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '60' } });
    const { browser } = await signIn(busy);
    const asking = await browser.get(authorizeUrl({ clientId: newClient() }));
    const page = asking.location ?? '';
    const statuses = [];
    for (let opened = 1; opened < 30; opened += 1) {
      await forgetDocuments(busy);
      statuses.push((await browser.get(page)).status);
    }
    const before = asked.length;
    await forgetDocuments(busy);
    const refused = await browser.get(page);

    expect(statuses).toEqual(Array.from({ length: 29 }, () => 200));
    expect([refused.status, refused.headers.get('retry-after'), asked.length]).toEqual([429, '60', before]);
    expect(refused.text).toContain('more than 30 clients a minute were named from this address. Wait 60 s, then open');
    busy.clock.advance(60_000);
    expect((await browser.get(page)).status).toBe(200);
    await busy.close();
  });
});
