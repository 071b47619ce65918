/** Passkeys: added with the password and used instead of it. Each answer works once, and a reset link removes them. */
import { describe, expect, it } from 'vitest';
import { type Authenticator, openAuthenticator } from '../../harness/authenticator.ts';
import { type Browser, openBrowser } from '../../harness/browser.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { OWNER_ENV, ownerLink, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld, type World } from '../../harness/world.ts';

const ORIGIN = 'http://localhost:3000';
const env = { ...OWNER_ENV, PUBLIC_URL: ORIGIN };
const world = await startWorld({ env });

/** What the script of the page does before it calls the device. */
async function ask(browser: Browser, page: string, path: string, fields: Record<string, string> = {}) {
  const { text } = await browser.get(page);
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const said = await browser.post(path, { ...fields, csrf });
  // eslint-disable-next-line typescript/no-explicit-any -- the tests assert the fields that they read
  return { csrf, status: said.status, body: JSON.parse(said.text) as any };
}

async function addPasskey(browser: Browser, device: Authenticator): Promise<void> {
  const { csrf, body } = await ask(browser, '/owner', '/owner/passkeys/options', { passkeyPassword: PASSWORD });
  const answer = await browser.post('/owner/passkeys', { csrf, answer: device.create(body.options) });
  expect([answer.status, answer.location]).toEqual([303, '/owner?done=passkey']);
}

/** A device with a passkey, created in a signed-in browser. */
async function deviceOf(place: World): Promise<Authenticator> {
  const device = openAuthenticator(ORIGIN);
  await addPasskey(await signedInBrowser(place), device);
  return device;
}

const signInOptions = (browser: Browser) => ask(browser, '/sign-in', '/sign-in/passkey/options');

describe('a passkey', () => {
  it('signs in instead of the password, and redirects to the requested page', async () => {
    const device = await deviceOf(world);
    const browser = openBrowser(world);

    const { csrf, body } = await signInOptions(browser);
    const fields = { csrf, answer: device.get(body.options), next: '/owner?done=x' };
    const answer = await browser.post('/sign-in/passkey', fields);

    expect([answer.status, answer.location]).toEqual([303, '/owner?done=x']);
    expect((await browser.get('/owner')).text).toContain('owner@bells.example');
    expect(body.options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  });

  it('signs in while passwords are throttled', async () => {
    await using other = await startWorld({ env });
    const device = await deviceOf(other);
    const browser = openBrowser(other);
    const form = await browser.get('/sign-in');
    for (let wrong = 0; wrong < 6; wrong += 1) await browser.press(form, 'Sign in', { Email: OWNER_ENV.OWNER_EMAIL });

    const { csrf, body } = await signInOptions(browser);
    const answer = await browser.post('/sign-in/passkey', { csrf, answer: device.get(body.options) });

    expect(answer.status).toBe(303);
  });

  it('is listed, can be removed, and then no longer signs in', async () => {
    await using other = await startWorld({ env });
    const device = await deviceOf(other);
    const owner = await signedInBrowser(other);
    const page = await owner.get('/owner');

    const removed = await owner.press(page, 'Remove');

    expect(page.text).toMatch(/Added <time [^>]+>[^<]+<\/time>, not used yet\./);
    expect(removed.location).toBe('/owner?done=passkey-gone');
    const browser = openBrowser(other);
    const { csrf, body } = await signInOptions(browser);
    expect((await browser.post('/sign-in/passkey', { csrf, answer: device.get(body.options) })).status).toBe(401);
  });

  it('is removed by the link that replaces a lost password', async () => {
    await using other = await startWorld({ env });
    await deviceOf(other);
    const [account] = await other.sql<{ id: string }>('select id from accounts');
    const browser = openBrowser(other);

    const form = await browser.get(await ownerLink(other, account?.id ?? ''));
    await browser.press(form, 'Save', { Password: 'eight bells at noon' });

    expect(await other.sql('select id from passkeys')).toEqual([]);
  });

  it('is added to one owner only once', async () => {
    const browser = await signedInBrowser(world);
    const device = openAuthenticator(ORIGIN);
    await addPasskey(browser, device);

    const { csrf, body } = await ask(browser, '/owner', '/owner/passkeys/options', { passkeyPassword: PASSWORD });
    const again = await browser.post('/owner/passkeys', { csrf, answer: device.create(body.options) });

    expect(body.options.excludeCredentials.length).toBeGreaterThan(0);
    expect(again.status).toBe(400);
  });
});

describe('adding one', () => {
  it('requires the password, with the throttle of the sign-in', async () => {
    await using other = await startWorld({ env });
    const browser = await signedInBrowser(other);
    const answers = [];
    for (let wrong = 0; wrong < 6; wrong += 1) {
      answers.push(await ask(browser, '/owner', '/owner/passkeys/options', { passkeyPassword: 'wrong' }));
    }

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(answers[0]?.body).toEqual({ problem: 'The password is wrong.' });
  });

  it.each<[string, Parameters<Authenticator['create']>[1]]>([
    ['made for another origin', { origin: 'https://evil.example' }],
    ['made for another name', { rpId: 'evil.example' }],
    ['of a person who was not verified', { verified: false }],
    [
      'to a challenge that was never issued',
      { challenge: Buffer.from('sign in.x.9999999999999.x').toString('base64url') },
    ],
  ])('refuses an answer %s', async (_case, over) => {
    const browser = await signedInBrowser(world);
    const device = openAuthenticator(ORIGIN);

    const { csrf, body } = await ask(browser, '/owner', '/owner/passkeys/options', { passkeyPassword: PASSWORD });
    const answer = await browser.post('/owner/passkeys', { csrf, answer: device.create(body.options, over) });

    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Nothing was changed.');
  });

  it('refuses the challenge of a sign-in, which required no password', async () => {
    const browser = openBrowser(world);
    const { body } = await signInOptions(browser);
    const owner = await signedInBrowser(world);
    const { csrf } = await ask(owner, '/owner', '/owner/passkeys/options', { passkeyPassword: PASSWORD });

    const device = openAuthenticator(ORIGIN);
    const made = device.create({ challenge: body.options.challenge, rp: { id: 'localhost' } });

    expect((await owner.post('/owner/passkeys', { csrf, answer: made })).status).toBe(400);
  });
});

describe('signing in with one', () => {
  it.each<[string, Parameters<Authenticator['get']>[1]]>([
    ['made for another origin', { origin: 'https://evil.example' }],
    ['made for another name', { rpId: 'evil.example' }],
    ['of a person who was not verified', { verified: false }],
    [
      'to a challenge that was never issued',
      { challenge: Buffer.from('sign in.x.9999999999999.x').toString('base64url') },
    ],
  ])('refuses an answer %s', async (_case, over) => {
    const device = await deviceOf(world);
    const browser = openBrowser(world);

    const { csrf, body } = await signInOptions(browser);
    const answer = await browser.post('/sign-in/passkey', { csrf, answer: device.get(body.options, over) });

    expect(answer.status).toBe(401);
    expect((await browser.get('/owner')).status).toBe(303);
  });

  it('accepts an answer once, also from two requests at the same time', async () => {
    const device = await deviceOf(world);
    const browsers = [openBrowser(world), openBrowser(world), openBrowser(world)];
    const asked = await Promise.all(browsers.map(signInOptions));
    const answer = device.get(asked[0]?.body.options);

    const send = (index: number) =>
      browsers[index]?.post('/sign-in/passkey', { csrf: asked[index]?.csrf ?? '', answer });
    const answers = await Promise.all([send(0), send(1)]);

    expect(answers.map((each) => each?.status ?? 0).toSorted((one, other) => one - other)).toEqual([303, 401]);
    expect((await send(2))?.status).toBe(401);
  });

  it('accepts an answer within five minutes', async () => {
    const device = await deviceOf(world);
    const browser = openBrowser(world);
    const { csrf, body } = await signInOptions(browser);
    const answer = device.get(body.options);
    world.clock.advance(300_000);

    expect((await browser.post('/sign-in/passkey', { csrf, answer })).status).toBe(401);
  });

  it('refuses a counter that does not increase, which indicates a cloned device', async () => {
    const device = await deviceOf(world);
    const send = async (counter: number) => {
      const browser = openBrowser(world);
      const { csrf, body } = await signInOptions(browser);
      return (await browser.post('/sign-in/passkey', { csrf, answer: device.get(body.options, { counter }) })).status;
    };

    expect([await send(4_000_000_000), await send(4_000_000_000), await send(5), await send(4_000_000_001)]).toEqual([
      303, 401, 401, 303,
    ]);
  });

  it.each(['', 'null', '[]', '{"id":"x"}', '{"id":{"$ne":null}}', '{'])('refuses %j', async (answer) => {
    const browser = openBrowser(world);
    const { csrf } = await signInOptions(browser);

    expect((await browser.post('/sign-in/passkey', { csrf, answer })).status).toBe(401);
  });

  it('accepts forms of our pages only', async () => {
    const device = await deviceOf(world);
    const browser = openBrowser(world);
    const { body } = await signInOptions(browser);

    const options = await browser.post('/sign-in/passkey/options', {});
    const answer = await browser.post('/sign-in/passkey', { answer: device.get(body.options) });

    expect([options.status, answer.status]).toEqual([403, 403]);
    expect(JSON.parse(options.text)).toEqual({ problem: 'This page is too old. Open it again.' });
  });
});

describe('what is stored', () => {
  it('is the answered challenges until they expire, and none that were only issued', async () => {
    await using other = await startWorld({ env });
    const browser = openBrowser(other);
    await signInOptions(browser);
    const asked = await other.sql('select hash from used_challenges');
    await deviceOf(other);
    const answered = await other.sql('select hash from used_challenges');

    other.clock.advance(300_000);
    await other.housekeep();

    expect([asked.length, answered.length]).toEqual([0, 1]);
    expect(await other.sql('select hash from used_challenges')).toEqual([]);
  });
});

describe('when browsers cannot create passkeys', () => {
  it.each(['http://192.0.2.1:3000', 'http://bells.example', 'http://[2001:db8::1]'])(
    '%s offers none',
    async (publicUrl) => {
      await using other = await startWorld({ env: { ...OWNER_ENV, PUBLIC_URL: publicUrl } });

      const { text } = await openBrowser(other).get('/sign-in');
      const { status } = await signInOptions(openBrowser(other));

      expect(text).not.toMatch(/passkey|<script/);
      expect(status).toBe(404);
      expect((await (await signedInBrowser(other)).get('/owner')).text).not.toContain('passkey');
    },
  );
});

// Another connection holds the answer back.
describe.skipIf(world.db.engine !== 'postgres')('an answer of a passkey that is still being checked', () => {
  /** Begins a request whose answer of a device is checked after `meanwhile`. */
  async function delayed<Answer>(place: World, request: () => Promise<Answer>, meanwhile: () => Promise<unknown>) {
    const held = await holdRows(place, 'lock table used_challenges in exclusive mode');
    const answer = request();
    await held.waiting(1);
    await meanwhile();
    await held.release();
    return answer;
  }

  async function replacePassword(place: World): Promise<void> {
    const [{ account_id: accountId } = { account_id: '' }] = await place.sql<{ account_id: string }>(
      'select account_id from owners',
    );
    const browser = openBrowser(place);
    const page = await browser.get(await ownerLink(place, accountId));
    const typed = { Email: OWNER_ENV.OWNER_EMAIL, Password: 'eight bells and all is well' };
    expect((await browser.press(page, 'Save', typed)).status).toBe(303);
  }

  it('adds no passkey after a lost password was replaced', async () => {
    await using other = await startWorld({ env });
    const browser = await signedInBrowser(other);
    const fields = { passkeyPassword: PASSWORD };
    const { csrf, body } = await ask(browser, '/owner', '/owner/passkeys/options', fields);
    const answer = openAuthenticator(ORIGIN).create(body.options);

    const page = await delayed(
      other,
      () => browser.post('/owner/passkeys', { csrf, answer }),
      () => replacePassword(other),
    );

    expect(page.status).toBe(401);
    expect(page.text).toContain('This browser was signed out meanwhile.');
    expect(await other.sql('select id from passkeys')).toEqual([]);
  });

  it('signs no one in after a lost password was replaced', async () => {
    await using other = await startWorld({ env });
    const device = await deviceOf(other);
    const browser = openBrowser(other);
    const { csrf, body } = await signInOptions(browser);
    const answer = device.get(body.options);

    const page = await delayed(
      other,
      () => browser.post('/sign-in/passkey', { csrf, answer }),
      () => replacePassword(other),
    );

    expect(page.status).toBe(401);
    expect(await other.sql('select id from sign_ins')).toHaveLength(1);
  });
});
