/** `npm run carillon -- doctor`: what each check says when all is well, and when something is wrong. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { doctorCommand } from '../../../cli/doctor-command.ts';
import { acquireDataDirLock } from '../../../server/data-dir-lock.ts';
import type { Check, DoctorReport } from '../../../services/doctor/check.ts';
import { TEST_DATABASE_URL } from '../../harness/database.ts';
import { newFolder } from '../../harness/embedded-install.ts';
import { freePort } from '../../harness/free-port.ts';
import { OPERATOR } from '../../harness/owner.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { startFakeDiscord } from '../../platforms/fakes/fake-discord.ts';
import { startFakeFacebook } from '../../platforms/fakes/fake-facebook.ts';
import { startFakeLinkedIn } from '../../platforms/fakes/fake-linkedin.ts';
import { startFakeMail } from '../../platforms/fakes/fake-mail.ts';
import { startFakeModel } from '../../platforms/fakes/fake-model.ts';
import { startFakeReddit } from '../../platforms/fakes/fake-reddit.ts';
import { startFakeSlack } from '../../platforms/fakes/fake-slack.ts';
import { startFakeTwilio, TWILIO } from '../../platforms/fakes/fake-twilio.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const now = () => new Date();
const APP = { clientId: 'our-app', clientSecret: 'our-secret-of-apps' };
const [mail, model, twilio, discord, facebook, reddit, linkedin, x, slack] = await Promise.all([
  startFakeMail(),
  startFakeModel({ now }),
  startFakeTwilio({ now }),
  startFakeDiscord({ now }),
  startFakeFacebook({ now }),
  startFakeReddit({ now, app: APP }),
  startFakeLinkedIn({ now, app: APP }),
  startFakeX({ now, app: APP }),
  startFakeSlack({ now }),
]);
afterAll(() =>
  Promise.all([
    mail.close(),
    model[Symbol.asyncDispose](),
    twilio.close(),
    discord.close(),
    facebook.close(),
    reddit.close(),
    linkedin.close(),
    x.close(),
    slack.close(),
  ]),
);
discord.consent.apps.set(APP.clientId, { clientSecret: APP.clientSecret, redirectUri: '', scope: '' });
slack.consent.apps.set(APP.clientId, { clientSecret: APP.clientSecret, redirectUri: '', scope: '' });
facebook.login.consent.apps.set(APP.clientId, { clientSecret: APP.clientSecret, redirectUri: '', scope: '' });

const SERVICES = {
  OPERATOR_TOKEN: OPERATOR,
  SMTP_URL: mail.url,
  SMTP_FROM: 'posts@bells.example',
  AI_BASE_URL: model.baseUrl,
  AI_MODEL: 'small',
  TWILIO_API_URL: twilio.url,
  TWILIO_ACCOUNT_SID: TWILIO.accountSid,
  TWILIO_AUTH_TOKEN: TWILIO.authToken,
  TWILIO_FROM: TWILIO.from,
  DISCORD_API_URL: discord.url,
  DISCORD_CLIENT_ID: APP.clientId,
  DISCORD_CLIENT_SECRET: APP.clientSecret,
  META_GRAPH_URL: facebook.url,
  META_CLIENT_ID: APP.clientId,
  META_CLIENT_SECRET: APP.clientSecret,
  REDDIT_API_URL: reddit.url,
  REDDIT_AUTH_URL: reddit.url,
  REDDIT_CLIENT_ID: APP.clientId,
  REDDIT_CLIENT_SECRET: APP.clientSecret,
  LINKEDIN_AUTH_URL: linkedin.url,
  LINKEDIN_CLIENT_ID: APP.clientId,
  LINKEDIN_CLIENT_SECRET: APP.clientSecret,
  X_API_URL: x.url,
  X_CLIENT_ID: APP.clientId,
  X_CLIENT_SECRET: APP.clientSecret,
  SLACK_API_URL: slack.url,
  SLACK_CLIENT_ID: APP.clientId,
  SLACK_CLIENT_SECRET: APP.clientSecret,
  THREADS_CLIENT_ID: APP.clientId,
  THREADS_CLIENT_SECRET: APP.clientSecret,
};

/** A world whose public URL leads to it. */
async function worldWith(env: Record<string, string>): Promise<World> {
  const port = await freePort();
  return startWorld({ port, env: { ...SERVICES, PUBLIC_URL: `http://127.0.0.1:${port}`, ...env } });
}

async function examine(env: Record<string, string>): Promise<DoctorReport & { exitCode: number; output: string }> {
  const { output, exitCode } = await doctorCommand(fetch, ['--json'], env);
  return { ...(JSON.parse(output) as DoctorReport), exitCode, output };
}

async function examineWorld(world: World) {
  return examine({ PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
}

const find = ({ checks }: DoctorReport, name: string): Check | undefined => checks.find((check) => check.name === name);

describe('an install with all services', async () => {
  const world = await worldWith({ DATA_DIR: await newFolder() });
  const report = await examineWorld(world);

  it('passes each check that can be made', () => {
    const statuses = Object.fromEntries(report.checks.map(({ name, status }) => [name, status]));
    expect(statuses).toEqual({
      runtime: 'ok',
      database: 'ok',
      schema: 'ok',
      versions: 'ok',
      'database clock': 'ok',
      // The clock of tests is years away from that of the machine.
      clock: 'failed',
      'data folder': 'ok',
      'encryption keys': 'ok',
      backups: TEST_DATABASE_URL === undefined ? 'warning' : 'not checked',
      'public URL': 'ok',
      proxy: 'ok',
      mail: 'ok',
      images: 'ok',
      model: 'ok',
      webhooks: 'ok',
      'platform linkedin': 'ok',
      'platform meta': 'ok',
      'platform threads': 'not checked',
      'platform x': 'ok',
      'platform reddit': 'ok',
      'platform discord': 'ok',
      'platform slack': 'ok',
      'platform twilio': 'ok',
    });
    expect(report).toMatchObject({ status: 'failed', exitCode: 2, version: '2.0.0' });
  });

  it('says what was measured, and what to do', () => {
    expect(find(report, 'clock')).toMatchObject({
      measured: expect.stringMatching(/^The clock differs by -?\d+ s from that of http/),
      action: 'Synchronize the clock with NTP; on PostgreSQL that of the database server.',
    });
    expect(find(report, 'platform threads')?.measured).toBe('The app at Threads cannot be checked without an account.');
    expect(find(report, 'database')?.measured).toMatch(/PostgreSQL \d+.* answered in \d+ ms/);
    expect(find(report, 'versions')?.measured).toMatch(/2\.0\.0\.$/);
  });

  it('sends nothing, and prints no secret', () => {
    expect(mail.messages()).toEqual([]);
    expect(world.media.stored.size).toBe(0);
    for (const secret of [APP.clientSecret, TWILIO.authToken, OPERATOR]) expect(report.output).not.toContain(secret);
  });
});

describe('an install with wrong settings', async () => {
  const world = await worldWith({
    DATA_DIR: await newFolder(),
    TWILIO_AUTH_TOKEN: 'wrong',
    DISCORD_CLIENT_SECRET: 'wrong',
    META_CLIENT_SECRET: 'wrong',
    REDDIT_CLIENT_SECRET: 'wrong',
    LINKEDIN_CLIENT_SECRET: 'wrong',
    X_CLIENT_SECRET: 'wrong',
    SLACK_CLIENT_SECRET: 'wrong',
    AI_API_KEY: 'wrong',
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    TRUST_PROXY: '1',
  });
  world.media.faults.push('put');
  const report = await examineWorld(world);

  it.each([
    ['platform twilio', 'failed', 'SMS does not accept the app: '],
    ['platform discord', 'failed', 'Discord does not accept the app: invalid_client'],
    ['platform meta', 'failed', 'Facebook does not accept the app: '],
    ['platform reddit', 'failed', 'Reddit does not accept the app: '],
    ['platform linkedin', 'failed', 'LinkedIn does not accept the app: '],
    ['platform x', 'failed', 'X does not accept the app: '],
    ['platform slack', 'failed', 'Slack does not accept the app: Slack refused: bad_client_secret'],
    ['model', 'failed', 'The model endpoint answered HTTP 401.'],
    ['mail', 'failed', 'The mail server refused the session (no answer).'],
    ['images', 'failed', 'The folder of images could not be used (Error).'],
    ['proxy', 'warning', 'TRUST_PROXY is set, and no X-Forwarded-For arrived.'],
  ])('%s: %s', (name, status, measured) => {
    expect(find(report, name)).toMatchObject({ status, measured: expect.stringContaining(measured) });
    expect(find(report, name)?.action).not.toBeNull();
  });
});

describe('the public URL', () => {
  it('is checked by a nonce, which another server cannot answer', async () => {
    const other = createServer((_request, response) => response.end('{"signature":"AAAA"}')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const world = await worldWith({ PUBLIC_URL: url });

    const report = await examineWorld(world);

    expect(find(report, 'public URL')).toEqual({
      name: 'public URL',
      status: 'failed',
      measured: `${url} answered HTTP 200, and not as this install.`,
      action: 'Point PUBLIC_URL and the proxy to this install. Every process needs the same ENCRYPTION_KEYS.',
    });
    other.close();
  });

  it('is not asked in a private network that the guard refuses', async () => {
    const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR, OUTBOUND_ALLOW: '' } });

    expect(find(await examineWorld(world), 'public URL')).toMatchObject({
      status: 'not checked',
      measured: expect.stringContaining('which the guard refuses.'),
    });
  });
});

describe('a proxy in front', () => {
  /** A proxy at its own port that adds headers to each request. */
  async function behindProxy(added: Record<string, string>, env: Record<string, string>): Promise<Check | undefined> {
    const target = await freePort();
    const pass = async (request: IncomingMessage, response: ServerResponse) => {
      const headers = { ...request.headers, ...added } as Record<string, string>;
      const answer = await fetch(`http://127.0.0.1:${target}${request.url}`, { headers });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    };
    const proxy = createServer((request, response) => {
      void pass(request, response);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => proxy.once('listening', resolve));
    const publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const world = await startWorld({
      port: target,
      env: { OPERATOR_TOKEN: OPERATOR, OPERATOR: 'anywhere', PUBLIC_URL: publicUrl, ...env },
    });
    const report = await examineWorld(world);
    proxy.closeAllConnections();
    proxy.close();
    return find(report, 'proxy');
  }

  it.each([
    [
      'is trusted and says how requests arrive',
      { 'x-forwarded-proto': 'http' },
      { TRUST_PROXY: '1' },
      'ok',
      'Requests arrive through a trusted proxy, as http.',
    ],
    ['is not trusted', {}, {}, 'warning', 'A proxy forwards requests, and TRUST_PROXY is not set'],
    [
      'says another protocol than PUBLIC_URL',
      { 'x-forwarded-proto': 'https' },
      { TRUST_PROXY: '1' },
      'warning',
      'Requests arrive as https, and PUBLIC_URL is http.',
    ],
    ['is trusted without end', {}, { TRUST_PROXY: 'true' }, 'warning', 'TRUST_PROXY=true trusts every caller.'],
  ] as [string, Record<string, string>, Record<string, string>, string, string][])(
    'that %s',
    async (_, added, env, status, measured) => {
      expect(await behindProxy({ 'x-forwarded-for': '203.0.113.9', ...added }, env)).toMatchObject({
        status,
        measured: expect.stringContaining(measured),
      });
    },
  );
});

it('indexes that a failed build left are named, with what to do', async () => {
  const world = await worldWith({ DATA_DIR: await newFolder() });
  const mark = (isValid: boolean) =>
    world.sql(`update pg_index set indisvalid = ${isValid} where indexrelid = 'post_words_search_index'::regclass`);
  // The next test of this process may get the same database.
  onTestFinished(() => mark(true).then(() => undefined));
  await mark(false);

  expect(find(await examineWorld(world), 'schema')).toEqual({
    name: 'schema',
    status: 'warning',
    measured: 'No query can use these indexes, which are incomplete: post_words_search_index.',
    action: 'Unless one is being built, drop it and build it again: docs/scale.md#updates-of-large-installs.',
  });
});

it('webhooks that fail and keys that are missing are named', async () => {
  const world = await worldWith({});
  await registerWebhook(world, (await startReceiver()).url);
  const [row] = await world.sql<{ id: string }>('update webhooks set failing = true returning id');
  await world.sql(`update webhooks set secret = replace(secret, split_part(secret, '.', 2), 'AAAAAAAA')`);

  const report = await examineWorld(world);

  expect(find(report, 'webhooks')?.measured).toBe(`1 webhooks fail, 0 of them are disabled: ${row?.id}.`);
  expect(find(report, 'encryption keys')?.measured).toMatch(
    /^Stored credentials need the keys with the marks AAAAAAAA; this install has /,
  );
});

describe('without a running server', () => {
  it('checks the environment and the folder, and says what it could not check', async () => {
    const folder = await newFolder();
    const env = { DATA_DIR: folder, PORT: String(await freePort()), OPERATOR_TOKEN: OPERATOR, SMTP_URL: mail.url };

    const report = await examine({ ...env, SMTP_FROM: 'posts@bells.example' });

    const notChecked = report.checks.filter(({ status }) => status === 'not checked').map(({ name }) => name);
    expect(notChecked).toEqual(
      expect.arrayContaining(['database', 'schema', 'public URL', 'proxy', 'webhooks', 'encryption keys']),
    );
    expect(find(report, 'mail')?.status).toBe('ok');
    expect(find(report, 'public URL')?.measured).toBe('The server does not run.');
  });

  it('names a folder that other users can read', async () => {
    const folder = await newFolder();
    await chmod(folder, 0o755);

    const report = await examine({ DATA_DIR: folder, PORT: String(await freePort()), OPERATOR_TOKEN: OPERATOR });

    expect(find(report, 'data folder')).toMatchObject({
      status: 'failed',
      measured: `Other users can reach ${folder}.`,
      action: 'Run chmod -R go-rwx on it; a start does so too.',
    });
  });

  it('names a bucket that does not answer', async () => {
    const report = await examine({
      DATA_DIR: await newFolder(),
      PORT: String(await freePort()),
      OPERATOR_TOKEN: OPERATOR,
      MEDIA_STORE: `s3://pictures?endpoint=http://127.0.0.1:${await freePort()}&region=eu-west-1`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });

    expect(find(report, 'images')).toMatchObject({
      status: 'failed',
      measured: expect.stringMatching(/^The bucket pictures could not be used/),
    });
  });

  it('names a setting that stops the start', async () => {
    const report = await examine({
      DATA_DIR: await newFolder(),
      PORT: 'many',
      OPERATOR_TOKEN: OPERATOR,
      PUBLIC_URL: 'http://127.0.0.1:9',
    });

    expect(report).toMatchObject({ status: 'failed', exitCode: 2 });
    expect(report.checks).toMatchObject([{ name: 'settings', measured: 'PORT: must be a port number' }]);
  });

  it('names a database that cannot be opened', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'db'));
    await writeFile(join(folder, 'db', 'PG_VERSION'), 'not a version');
    const databaseUrl = `postgres://carillon@127.0.0.1:${await freePort()}/none`;
    const env = { DATA_DIR: folder, PORT: String(await freePort()), OPERATOR_TOKEN: OPERATOR };

    const report = await examine({ ...env, DATABASE_URL: databaseUrl });

    expect(find(report, 'database')).toMatchObject({
      status: 'failed',
      measured: expect.stringContaining('The database cannot be opened: '),
      action: 'Check DATABASE_URL or DATA_DIR.',
    });
    expect(find(report, 'schema')?.status).toBe('not checked');
  });

  it('says how to ask a server that has the data folder and listens on another port', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'db'));
    const lock = await acquireDataDirLock(folder);
    onTestFinished(() => lock.release());

    const report = await examine({ DATA_DIR: folder, PORT: String(await freePort()), OPERATOR_TOKEN: OPERATOR });

    expect(find(report, 'database')).toMatchObject({
      status: 'failed',
      measured: expect.stringContaining(`DATA_DIR ${folder} is in use by another Carillon server`),
      action: 'Ask that server: set the PORT that it listens on, or --url.',
    });
  });
});

it('prints one line for each check, and what to do below it', async () => {
  const world = await worldWith({});

  const { output } = await doctorCommand(fetch, [], { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });

  expect(output).toMatch(/^ok {11}runtime {11}Node\.js 26\./);
  expect(output).toContain('→ Synchronize the clock with NTP');
  expect(output.endsWith('Carillon 2.0.0: failed\n')).toBe(true);
});
