/**
 * Apps that this install registered with servers, while the encryption keys are rotated
 * (docs/operations.md#rotating-the-encryption-keys).
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingKeyMarks } from '../../services/credentials/re-encrypt-credentials.ts';
import { createVault, keyMark } from '../../services/credentials/vault.ts';
import { checkKeys } from '../../services/doctor/check-install.ts';
import { openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { startWorld, type World } from '../harness/world.ts';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';
import { startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';

const HTTPS = 'https://bells.example';
const DOCUMENT = `${HTTPS}/connect/client/bluesky`;
const HOUR = 3_600_000;
const [OLD, NEW, LOST] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];

let world: World;
let bluesky: Awaited<ReturnType<typeof startFakeBluesky>>;
let mastodon: Awaited<ReturnType<typeof startFakeMastodon>>;
const now = () => world.clock.now();

// Each install has other servers: they take a code verifier once, and the random values of each world are the same.
beforeEach(async () => {
  bluesky = await startFakeBluesky({ now });
  mastodon = await startFakeMastodon({ now });
  bluesky.oauth.signedIn = bluesky.addAccount('alice.test', 'app-password').did;
  mastodon.addAccount('alice', 'a-token-of-hers');
  mastodon.consent.signedIn = 'alice';
  const env = { BLUESKY_SERVICE_URL: bluesky.url, BLUESKY_PLC_URL: bluesky.url, PUBLIC_URL: HTTPS };
  world = await startWorld({ env: { ...env, ENCRYPTION_KEYS: OLD.toString('base64') }, logLevel: 'warn' });
});
afterEach(async () => {
  await world.close();
  await Promise.all([bluesky.close(), mastodon.close()]);
});

/** What a restart with other ENCRYPTION_KEYS does. */
function restartWith(...keys: readonly Buffer[]): void {
  Object.assign(world.context, { vault: createVault(keys, (length) => world.context.random.bytes(length)) });
}

/** The steps of docs/operations.md for one process. */
async function rotate(): Promise<void> {
  restartWith(NEW, OLD);
  await world.housekeep();
  restartWith(NEW);
}

const readDocument = () => openBrowser(world).get('/connect/client/bluesky');

/** The servers of Bluesky read the document again. */
async function publishDocument(): Promise<unknown> {
  const document = JSON.parse((await readDocument()).text);
  bluesky.oauth.clientKeys.set(DOCUMENT, document.jwks.keys[0]);
  return document;
}

type OwnPage = 'bluesky' | 'mastodon';

/** Opens a link and leaves for the platform's page. */
async function leave(platform: OwnPage) {
  const link = await makeLink(world, { platform });
  const browser = openBrowser(world);
  const form = await browser.get(link.path);
  const page =
    platform === 'bluesky'
      ? await browser.press(form, 'Continue to your server')
      : await browser.press(form, 'Connect', { Server: mastodon.url });
  return { link, browser, page };
}

interface Connected {
  readonly link: TestLink;
  /** Of the connection. */
  readonly slug: string;
}

/** Connects an account on the platform's page. */
async function connect(platform: OwnPage): Promise<Connected> {
  const { link, browser, page } = await leave(platform);
  const answer = await fetch(page.location ?? '', { redirect: 'manual' });
  const { pathname, search } = new URL(answer.headers.get('location') ?? '');
  const [, { slug = '' }] = destination((await browser.get(pathname + search)).location);
  return { link, slug };
}

/** Requires that a post on a connection is sent. */
async function expectSent({ link: { profileId }, slug }: Connected): Promise<void> {
  const { body } = await world.rest('POST /posts', { body: { text: 'Hello', connectionSlugs: [slug], profileId } });
  const sent = {
    connectionSlug: slug,
    status: 'sent',
    postId: expect.any(String),
    url: expect.stringMatching(/^https?:/),
    scheduledFor: null,
    threadCount: 0,
    hasFirstComment: false,
    error: null,
  };
  expect(body).toEqual({ results: [sent] });
}

const storedApps = () => world.sql<{ id: string }>('select * from platform_apps');

/** Leaves the one app that is stored under a key that this install no longer has. */
async function loseApp(): Promise<void> {
  const [row] = await storedApps();
  const id = row?.id ?? '';
  const lost = createVault([LOST], (length) => world.context.random.bytes(length));
  await world.sql('update platform_apps set app = $1 where id = $2', [lost.seal({ clientId: 'lost' }, id), id]);
}

/** The lines of the log about apps. */
const reports = () =>
  world.logged
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg.startsWith('a stored app'))
    .map(({ level, msg, platformId, origin }) => ({ level, msg, platformId, origin }));

describe('a rotation of the encryption keys', () => {
  it('keeps the key by which Bluesky servers know this install: accounts connected before still renew', async () => {
    const before = await publishDocument();
    const connected = await connect('bluesky');

    await rotate();

    expect(await publishDocument()).toEqual(before);
    await world.advance(HOUR);
    await expectSent(connected);
  });

  it('keeps apps on Mastodon servers: none is registered again', async () => {
    await connect('mastodon');

    await rotate();

    await expectSent(await connect('mastodon'));
    expect(mastodon.calls['POST /api/v1/apps']).toBe(1);
  });
});

describe('an app under a key that is missing', () => {
  it('is not replaced when servers check stored credentials with it: document and page fail until the key is back', async () => {
    const before = await publishDocument();
    const connected = await connect('bluesky');
    const rows = await storedApps();

    restartWith(NEW);

    const unread = await readDocument();
    expect(unread.status).toBe(500);
    expect(unread.headers.get('cache-control')).toBe('no-store');
    expect(unread.text).toContain('Something failed on our side.');
    const { link, page } = await leave('bluesky');
    expect(page.status).toBe(422);
    expect(page.text).toContain(
      'Bluesky cannot be connected on this page now: the operator of this install has to restore an encryption key.',
    );
    expect(await link.read()).toMatchObject({ status: 'pending', connectionId: null });
    expect(await storedApps()).toEqual(rows);
    const report = { level: 'error', msg: 'a stored app cannot be decrypted', platformId: 'bluesky', origin: HTTPS };
    expect(reports()).toEqual([report, report]);
    restartWith(NEW, OLD);
    expect(await publishDocument()).toEqual(before);
    await world.advance(HOUR);
    await expectSent(connected);
  });

  it('is registered again when only new consents need it, and accounts connected before still post', async () => {
    const before = await connect('mastodon');
    await loseApp();

    const after = await connect('mastodon');

    await expectSent(before);
    await expectSent(after);
    expect(reports()).toEqual([
      {
        level: 'warn',
        msg: 'a stored app cannot be decrypted and is registered again',
        platformId: 'mastodon',
        origin: mastodon.url,
      },
    ]);
  });

  it('is missed by the doctor and by the check at the start only when credentials depend on it', async () => {
    const ok = {
      status: 'ok',
      measured: `Every stored credential can be decrypted; the keys have the marks ${keyMark(OLD)}.`,
      action: null,
    };
    await leave('mastodon');
    await loseApp();
    expect(await checkKeys(world.context)).toEqual(ok);
    expect(await missingKeyMarks(world.context)).toEqual([]);

    await world.sql('delete from platform_apps');
    await readDocument();
    await loseApp();

    expect(await checkKeys(world.context)).toEqual({
      status: 'failed',
      measured: `Stored credentials need the keys with the marks ${keyMark(LOST)}; this install has ${keyMark(OLD)}.`,
      action: 'Add the missing key to ENCRYPTION_KEYS behind the first one.',
    });
    expect(await missingKeyMarks(world.context)).toEqual([keyMark(LOST)]);
  });

  it('does not keep housekeeping from the other stored values', async () => {
    await leave('mastodon');
    await loseApp();
    const [app] = await storedApps();

    await rotate();

    expect(await checkKeys(world.context)).toEqual({
      status: 'ok',
      measured: `Every stored credential can be decrypted; the keys have the marks ${keyMark(NEW)}.`,
      action: null,
    });
    expect(await storedApps()).toEqual([app]);
    expect(world.logged).toEqual([]);
  });
});

describe('two customers who are the first from one server', () => {
  it('leave with the same app, which is the one that stays', async () => {
    const appOf = ({ page }: Awaited<ReturnType<typeof leave>>) => destination(page.location)[1]['client_id'];

    const first = await Promise.all([leave('mastodon'), leave('mastodon')]);

    const later = await leave('mastodon');
    expect(first.map(appOf)).toEqual([appOf(later), appOf(later)]);
  });
});
