/**
 * A secret given to the service leaks nowhere: in no answer of any operation, no webhook body, no log line, and no
 * table column in clear text. The service shows a secret that it creates once, at creation.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRequest, targets, addressOf, bodyOf } from '../fuzz/requests.ts';
import type { Seen } from '../fuzz/values.ts';
import { EMAIL, OPERATOR, PASSWORD, signedInBrowser } from '../harness/owner.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { START } from '../harness/test-clock.ts';
import { plain } from '../harness/images.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { startPlatformServers } from '../platforms/servers/index.ts';
import { createSampler } from '../simulation/sampler.ts';

const servers = await startPlatformServers({
  now: () => START,
  publicUrl: PUBLIC_URL,
  reach: (url) => url.replace(PUBLIC_URL, world.url),
});
afterAll(() => servers[Symbol.asyncDispose]());

const log: string[] = [];
const world: World = await startWorld({
  env: {
    ...servers.env,
    OWNER_EMAIL: EMAIL,
    OWNER_PASSWORD: PASSWORD,
    OPERATOR_TOKEN: OPERATOR,
    RATE_LIMIT_PER_MINUTE: '1000000',
  },
  onLog: (line) => log.push(line),
});

/** Every REST answer. */
const answers: { readonly call: string; readonly text: string }[] = [];
/** The secrets, by kind. */
const secrets = new Map<string, string>([
  ['the live key', world.liveKey],
  ['the test key', world.testKey],
  ['the password of the owner', PASSWORD],
  ['the token of the operator', OPERATOR],
]);
let receiver: Receiver;

const isSecretSetting = (name: string) => /SECRET|TOKEN|PASSWORD|_KEY$/.test(name);
const isSecretField = (name: string) => /token|password|webhookUrl|secret/i.test(name);

async function call(line: `${string} /${string}`, options: Parameters<World['rest']>[1] = {}) {
  const answer = await world.rest(line, options);
  answers.push({ call: line, text: answer.bytes.toString() });
  return answer;
}

/** The places in which answers show a new secret. */
interface Shown {
  readonly webhook?: { readonly secret: string };
  readonly secret?: string;
  readonly url?: string;
}

/** A call whose answer shows a secret, which must not be anywhere else. */
async function callThatShows(
  name: string,
  line: `${string} /${string}`,
  body: object,
  secretOf: (body: Shown) => string,
) {
  const answer = await world.rest(line, { body });
  expect(answer.status).toBeLessThan(300);
  secrets.set(name, secretOf(answer.body as Shown));
  return answer.body;
}

beforeAll(async () => {
  receiver = await startReceiver(200, (close) => afterAll(close));
  for (const [name, value] of Object.entries(servers.env)) if (isSecretSetting(name)) secrets.set(name, value);
  const profile = await world.profile();
  await callThatShows(
    'the secret of a webhook',
    'POST /webhooks',
    { url: receiver.url },
    ({ webhook }) => webhook?.secret ?? '',
  );
  await callThatShows(
    'a minted key',
    `POST /profiles/${profile.id}/keys`,
    { name: 'Minted', type: 'live' },
    ({ secret }) => secret ?? '',
  );
  await callThatShows(
    'a connect link',
    `POST /profiles/${profile.id}/connect`,
    { redirectUrl: 'https://app.example/done' },
    ({ url }) => new URL(url ?? '').pathname.split('/').at(-1) ?? '',
  );
  const owner = await signedInBrowser(world);
  secrets.set('the cookie of a sign-in', (owner.cookies.get('carillon') ?? '').split('.')[0] ?? '');
});

describe('secrets of connections, keys and people', () => {
  it('are in no answer of any operation, no webhook, no line of the log and no row', { timeout: 240_000 }, async () => {
    const { body: media } = await call('POST /media', {
      raw: await plain(40, 40).png().toBuffer(),
      headers: { 'content-type': 'image/png' },
    });
    for (const server of servers.all) {
      const { platformId, credentials } = server;
      for (const [name, value] of Object.entries(credentials))
        if (isSecretField(name)) secrets.set(`${platformId} ${name}`, value.split('/').at(-1) ?? value);
      await call('POST /connections', { body: { platformId, credentials, slug: `to-${platformId}` } });
      const post = {
        text: 'Ding',
        connectionSlugs: [`to-${platformId}`],
        ...(server.needsImage === true ? { mediaIds: [media.media.id] } : {}),
      };
      const sent = await call('POST /posts', { body: post });
      await call(`DELETE /posts/${sent.body.results[0].postId}`);
      await call('POST /posts', {
        body: { ...post, scheduledFor: new Date(world.clock.now().getTime() + 60_000).toISOString() },
      });
      // Error texts come from refused credentials.
      server.revoke?.();
      await call('POST /posts', { body: post });
      await call('POST /connections', {
        body: { platformId, credentials: { ...credentials, extra: 1 }, slug: 'again' },
      });
    }
    await world.advance(3_600_000);
    await sweep();
    await world.advance(86_400_000);
    await world.housekeep();

    // The search finds values that are not secret.
    secrets.set('the text of a post', 'Ding dong of the control');
    // The sweep may have removed the connections.
    await call('POST /connections', { body: { platformId: 'sandbox', credentials: {}, slug: 'control' } });
    const draft = await call('POST /posts', {
      body: { text: 'Ding dong of the control', connectionSlugs: ['control'], isDraft: true },
    });
    expect(draft.status).toBe(200);
    const { secretsFound: control } = await find();
    secrets.delete('the text of a post');
    expect(control.some((place) => place.includes('posts'))).toBe(true);
    const { secretsFound, rows } = await find();
    expect(secrets.size).toBeGreaterThan(15);
    expect(rows).toBeGreaterThan(50);
    expect(receiver.received.length).toBeGreaterThan(20);
    expect(log.length).toBeGreaterThan(50);
    expect(secretsFound).toEqual([]);
  });
});

/** Every operation of the document, several times, with the ids of existing objects. */
async function sweep(): Promise<void> {
  const seen: Seen = { ids: await idsOf(), slugs: servers.all.map(({ platformId }) => `to-${platformId}`) };
  const sampler = createSampler('secrets');
  const made = new Map<string, number>();
  // The other calls need the keys.
  const isLeftOut = (method: string, path: string) => method === 'DELETE' && path.includes('key');
  for (
    let tries = 0;
    tries < 4_000 && [...made.values()].filter((count) => count >= 3).length < targets.length;
    tries += 1
  ) {
    const request = makeRequest(sampler, seen);
    const { method, path } = request.target;
    const name = `${method} ${path}`;
    if ((made.get(name) ?? 0) >= 3) continue;
    made.set(name, (made.get(name) ?? 0) + 1);
    if (isLeftOut(method, path)) continue;
    const body = bodyOf(request);
    await call(`${method} ${addressOf(request)}` as 'GET /', {
      ...(body === undefined ? {} : { raw: body }),
      headers: { ...request.headers, ...(request.contentType === null ? {} : { 'content-type': request.contentType }) },
    });
  }
  expect(made.size).toBe(targets.length);
}

/** Ids of existing objects, by the names under which requests use them. */
async function idsOf(): Promise<Record<string, string[]>> {
  const tables = {
    postId: 'posts',
    connectionId: 'connections',
    profileId: 'profiles',
    keyId: 'api_keys',
    webhookId: 'webhooks',
    deliveryId: 'deliveries',
    mediaId: 'media',
    connectSessionId: 'connect_sessions',
  };
  const entries = Object.entries(tables).map(async ([name, table]) => {
    const rows = await world.sql<{ id: string }>(`select id from ${table} limit 50`);
    return [name, rows.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The places with secrets in clear text, and the number of rows checked. */
async function find(): Promise<{ secretsFound: string[]; rows: number }> {
  const tables = await world.sql<{ name: string }>(
    `select table_schema || '."' || table_name || '"' as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const places: { readonly place: string; readonly text: string }[] = [
    ...answers.map(({ call: line, text }) => ({ place: `the answer to ${line}`, text })),
    ...receiver.received.map(({ raw }) => ({ place: 'the body of a webhook', text: raw })),
    ...log.map((text) => ({ place: 'the log', text })),
  ];
  let rows = 0;
  for (const { name } of tables) {
    const found = await world.sql<{ row: string }>(`select t::text as row from ${name} t`);
    rows += found.length;
    places.push(...found.map(({ row }) => ({ place: `the table ${name}`, text: row })));
  }
  const secretsFound = [...secrets].flatMap(([secret, value]) =>
    places
      .filter(({ text }) => text.includes(value))
      .map(({ place, text }) => `${secret} is in ${place}: ${excerpt(text, value)}`),
  );
  return { secretsFound: [...new Set(secretsFound)].slice(0, 20), rows };
}

function excerpt(text: string, value: string): string {
  const at = text.indexOf(value);
  return text.slice(Math.max(0, at - 80), at + 20);
}
