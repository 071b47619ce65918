/** The log of a running server: JSON lines that name the request, and never a secret. */
import { expect, it, onTestFinished } from 'vitest';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';
import { post, postAndLeave, SANDBOX, startAgain } from './posts.ts';
import { ENGINE, LIVE_KEY, newInstall } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const PASSWORD = 'abcd-efgh-ijkl-mnop';

it(`writes JSON lines with the request id, and no key or credential, at the lowest level (${ENGINE})`, async () => {
  const fake = await startFakeBluesky({ now: () => new Date() });
  onTestFinished(() => fake.close());
  fake.addAccount('alice.test', PASSWORD);
  const encryptionKey = Buffer.alloc(32, 'k').toString('base64');
  const install = await newInstall({
    LOG_LEVEL: 'trace',
    ENCRYPTION_KEYS: encryptionKey,
    BLUESKY_SERVICE_URL: fake.url,
  });
  const first = await install.start();
  const login = { identifier: 'alice.test', appPassword: PASSWORD };
  const connected = await first.rest('POST /connections', {
    body: { platformId: 'bluesky', credentials: login, slug: 'alice' },
  });
  const refused = await first.rest('POST /connections', {
    body: { platformId: 'bluesky', credentials: { ...login, appPassword: 'wrong-password' } },
  });
  const malformed = await first.rest('POST /connections', {
    body: { platformId: 'bluesky', credentials: { ...login, pin: 'pin-1234' } },
  });
  const unknown = await first.rest('GET /posts', { key: `crl_live_${'X'.repeat(40)}` });
  const byUrl = await first.get(`/api/v2/posts?api_key=${LIVE_KEY}`);
  for (const fault of ['fails_after', 'token_expired', 'web_page'] as const) {
    fake.faults.push(fault);
    await post(first, 'alice', `with ${fault}`);
  }
  fake.faults.push('holds_after');
  await postAndLeave(first, 'alice', 'it is cut off');
  await first.kill9();
  const second = await startAgain(install);
  await waitUntil(
    'it is recovered',
    async () => (await second.rest('GET /posts?status=processing')).body.posts.length === 0,
  );
  await post(second, SANDBOX, '[[lost]]');
  await second.stop();

  // The announcement is for people: it is indented, and the first one shows the key.
  const isAnnounced = (line: string) => line === '' || line.startsWith('  ');
  const lines = [first, second].flatMap((server) => server.stdout().split('\n')).filter((line) => !isAnnounced(line));
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = entries.filter(({ msg }) => msg === 'request');
  expect(requests.length).toBeGreaterThan(10);
  for (const entry of entries)
    expect(entry).toMatchObject({ level: expect.any(String), time: expect.any(String), msg: expect.any(String) });
  for (const entry of requests)
    expect(Object.keys(entry)).toEqual(['level', 'time', 'reqId', 'method', 'path', 'status', 'ms', 'msg']);
  expect([connected, refused, malformed, unknown].map(({ status }) => status)).toEqual([200, 422, 400, 401]);
  for (const answer of [connected, refused, malformed]) {
    expect(requests.map(({ reqId }) => reqId)).toContain(answer.headers.get('x-request-id'));
  }
  expect(byUrl.status).toBe(200);

  const secrets = [
    LIVE_KEY,
    'XXXXXXXX',
    PASSWORD,
    'wrong-password',
    'pin-1234',
    encryptionKey,
    'access-',
    'refresh-',
    'v1.',
  ];
  if (install.databaseUrl !== undefined) secrets.push(install.databaseUrl);
  expect(secrets.filter((secret) => lines.some((line) => line.includes(secret)))).toEqual([]);
  expect(first.stderr() + second.stderr()).toBe('');
});

it(`writes no value of a statement that the database refuses (${ENGINE})`, async () => {
  const fake = await startFakeBluesky({ now: () => new Date() });
  onTestFinished(() => fake.close());
  fake.addAccount('alice.test', PASSWORD);
  const install = await newInstall({ LOG_LEVEL: 'trace', BLUESKY_SERVICE_URL: fake.url });
  const first = await install.start();
  await first.stop();
  await install.sql(`alter table connections add constraint no_such_slug check (slug <> 'refused-slug')`);
  await install.sql(`alter table posts add constraint no_such_text check (text not like 'refused-text%')`);
  const second = await install.start();

  const login = { identifier: 'alice.test', appPassword: PASSWORD };
  const connection = await second.rest('POST /connections', {
    body: { platformId: 'bluesky', credentials: login, slug: 'refused-slug' },
  });
  const sent = await second.rest('POST /posts', {
    body: { text: 'refused-text with words', connectionSlugs: [SANDBOX], tags: ['refused-tag'] },
  });
  await second.stop();

  expect([connection, sent].map(({ status }) => status)).toEqual([500, 500]);
  const failed = second.log().filter(({ msg }) => msg === 'a request failed');
  expect(failed.map(({ err }) => firstCause(err))).toMatchObject([
    { code: '23514', constraint: 'no_such_slug', table: 'connections', stack: expect.any(String) },
    { code: '23514', constraint: 'no_such_text', table: 'posts', stack: expect.any(String) },
  ]);
  const written = second.stdout() + second.stderr();
  const values = [PASSWORD, 'v1.', 'refused-slug', 'refused-text', 'refused-tag', 'alice.test', 'access-', 'refresh-'];
  expect(values.filter((value) => written.includes(value))).toEqual([]);
});

/** The last error in a chain of causes. */
function firstCause(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  return cause === undefined ? error : firstCause(cause);
}
