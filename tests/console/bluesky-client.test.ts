/** Bluesky servers that no longer accept the client by which this install renews the tokens of an account. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renewDueCredentials } from '../../services/connections/renew-due-credentials.ts';
import { openBrowser } from '../harness/browser.ts';
import { destination, makeLink } from '../harness/connect-links.ts';
import { startWorld, type World } from '../harness/world.ts';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';

const HTTPS = 'https://bells.example';
const DOCUMENT = `${HTTPS}/connect/client/bluesky`;
const HOUR = 3_600_000;
const MINUTE = 60_000;

let world: World;
let server: Awaited<ReturnType<typeof startFakeBluesky>>;

beforeEach(async () => {
  server = await startFakeBluesky({ now: () => world.clock.now() });
  server.oauth.signedIn = server.addAccount('alice.test', 'app-password').did;
  world = await startWorld({
    env: { BLUESKY_SERVICE_URL: server.url, BLUESKY_PLC_URL: server.url, PUBLIC_URL: HTTPS },
  });
});
afterEach(async () => {
  await world.close();
  await server.close();
});

/** Servers read the document of this install. */
async function publishKey(): Promise<void> {
  const { text } = await openBrowser(world).get('/connect/client/bluesky');
  server.oauth.clientKeys.set(DOCUMENT, JSON.parse(text).jwks.keys[0]);
}

/** Connects an account of a profile on the page of its server. */
async function connect(profileId?: string) {
  const link = await makeLink(world, { platform: 'bluesky' }, profileId === undefined ? {} : { profileId });
  const browser = openBrowser(world);
  const page = await browser.press(await browser.get(link.path), 'Continue to your server');
  const answer = await fetch(page.location ?? '', { redirect: 'manual' });
  const { pathname, search } = new URL(answer.headers.get('location') ?? '');
  const [, query] = destination((await browser.get(pathname + search)).location);
  return { profileId: link.profileId, id: query['connectionId'] ?? '', slug: query['slug'] ?? '' };
}

/** The public half of another key. */
const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });

type Connected = Awaited<ReturnType<typeof connect>>;

async function post({ slug, profileId }: Connected) {
  const { body } = await world.rest('POST /posts', { body: { text: 'Hello', connectionSlugs: [slug], profileId } });
  return body.results[0];
}

const reconnectRequired = async ({ id }: Connected) =>
  (await world.rest(`GET /connections/${id}`)).body.connection.reconnectRequired;

it('a server that does not accept the key of the account asks for a new connection, which heals it', async () => {
  await publishKey();
  const connected = await connect();
  server.oauth.clientKeys.set(DOCUMENT, otherKey());

  await world.advance(HOUR);

  const reason = `${new URL(server.url).host} no longer renews this credential: connect the account again.`;
  expect(await reconnectRequired(connected)).toEqual({ since: expect.any(String), reason });
  expect(await post(connected)).toMatchObject({
    status: 'failed',
    error: { code: 'reconnect_required', message: reason },
  });
  await publishKey();
  const again = await connect(connected.profileId);
  expect(again.id).toBe(connected.id);
  expect(await reconnectRequired(again)).toBeNull();
  expect(await post(again)).toMatchObject({ status: 'sent' });
});

it('a server that cannot read the document of this install for a while keeps the account connected', async () => {
  await publishKey();
  const connected = await connect();
  const unread = {
    status: 400,
    json: { error: 'invalid_client_metadata', error_description: 'Failed to fetch client information: timeout' },
  };
  server.oauth.tokenAnswers.push(...Array.from({ length: 100 }, () => unread));

  await world.advance(HOUR);

  expect(await reconnectRequired(connected)).toBeNull();
  expect(await post(connected)).toMatchObject({
    status: 'failed',
    error: {
      code: 'platform_unavailable',
      message: `${new URL(server.url).host} cannot read ${DOCUMENT}, by which it knows this install; nothing was posted.`,
    },
  });
  server.oauth.tokenAnswers.length = 0;
  expect(await post(connected)).toMatchObject({ status: 'sent' });
});

it('a server that accepts the key of the account again withdraws the request for a new connection with the next post', async () => {
  await publishKey();
  const connected = await connect();
  server.oauth.clientKeys.set(DOCUMENT, otherKey());
  await world.advance(HOUR);
  expect(await reconnectRequired(connected)).not.toBeNull();
  await publishKey();

  expect(await post(connected)).toMatchObject({ status: 'sent' });

  expect(await reconnectRequired(connected)).toBeNull();
});

it('a document of an earlier PUBLIC_URL, which servers cannot read any more, asks for a new connection', async () => {
  await publishKey();
  const connected = await connect();
  const json = { error: 'invalid_client_metadata', error_description: 'Failed to fetch client information' };
  server.oauth.tokenAnswers.push({ status: 400, json });
  const { config } = world.context;
  const endpoints = { ...config.endpoints, PUBLIC_URL: 'https://chimes.example' };
  Object.assign(world.context, { config: { ...config, endpoints } });

  await world.advance(HOUR);

  expect(await reconnectRequired(connected)).not.toBeNull();
});

const SIGNATURE =
  'refuses how this install signs its requests; nothing was posted. The clock of the machine may be wrong.';

it('a clock that is a few seconds ahead of that of the server ends no login', async () => {
  server.oauth.installAheadSeconds = 5;
  await publishKey();
  const connected = await connect();

  await world.advance(HOUR);

  expect(await reconnectRequired(connected)).toBeNull();
  expect(await post(connected)).toMatchObject({ status: 'sent' });
});

it.each([
  ['ten minutes ahead', 600],
  ['ten minutes behind', -600],
  ['a minute behind, which only the client authentication notices', -90],
])('a clock that is %s ends no login: it works again once the clock is set', async (_name, seconds) => {
  await publishKey();
  const connected = await connect();
  server.oauth.installAheadSeconds = seconds;

  await world.advance(HOUR);

  expect(await reconnectRequired(connected)).toBeNull();
  expect(await post(connected)).toMatchObject({
    status: 'failed',
    error: { code: 'platform_unavailable', message: expect.stringContaining(SIGNATURE) },
  });
  server.oauth.installAheadSeconds = 0;
  expect(await post(connected)).toMatchObject({ status: 'sent' });
});

it('a server that refuses the nonce that it has just given ends no login, and nothing was posted', async () => {
  await publishKey();
  const connected = await connect();
  const refused = {
    status: 400,
    json: { error: 'use_dpop_nonce', error_description: 'DPoP "nonce" mismatch' },
    headers: { 'dpop-nonce': 'another' },
  };
  server.oauth.tokenAnswers.push(...Array.from({ length: 100 }, () => refused));

  await world.advance(HOUR);

  expect(await reconnectRequired(connected)).toBeNull();
  expect(await post(connected)).toMatchObject({
    status: 'failed',
    error: { code: 'platform_unavailable', message: expect.stringContaining(SIGNATURE) },
  });
  server.oauth.tokenAnswers.length = 0;
  expect(await post(connected)).toMatchObject({ status: 'sent' });
});

it('an access token for five minutes is renewed once in that time, and not without end', async () => {
  await publishKey();
  server.oauth.accessSeconds = 300;
  const connected = await connect();
  const renewals = () => renewDueCredentials(world.context, new AbortController().signal);

  expect(await renewals()).toBe(0);
  world.clock.advance(3 * MINUTE);

  expect([await renewals(), await renewals()]).toEqual([1, 0]);
  expect(await post(connected)).toMatchObject({ status: 'sent' });
});
