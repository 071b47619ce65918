/** Audit entries of the owner pages: each form writes one entry with actor, operation, object and outcome. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAuthenticator } from '../harness/authenticator.ts';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { UNKNOWN_ID, UUID } from '../harness/expected.ts';
import { EMAIL, OWNER_ENV, ownerLink, PASSWORD, signedInBrowser } from '../harness/owner.ts';
import { startWorld, type World } from '../harness/world.ts';

const ORIGIN = 'http://localhost:3000';
const world = await startWorld({ env: { ...OWNER_ENV, PUBLIC_URL: ORIGIN } });
const [{ id: accountId }] = (await world.sql<{ id: string }>('select id from accounts')) as [{ id: string }];
const [{ id: ownerId }] = (await world.sql<{ id: string }>('select id from owners')) as [{ id: string }];

const PERSON = { kind: 'person', id: ownerId, name: EMAIL };

const tokenOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';

async function entries(place: World = world): Promise<Record<string, unknown>[]> {
  return (await place.rest('GET /audit?limit=100')).body.entries;
}

/** The audit entries that an action wrote, without the earlier ones. */
async function leftBy(act: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const [last] = await entries();
  await act();
  const all = await entries();
  return all.slice(
    0,
    all.findIndex(({ id }) => id === last?.['id']),
  );
}

/** Submits a form of a page and returns the answer. */
async function send(browser: Browser, page: string, path: string, fields: Record<string, string> = {}) {
  return browser.post(path, { ...fields, csrf: tokenOf((await browser.get(page)).text) });
}

async function options(browser: Browser, page: string, path: string, fields: Record<string, string> = {}) {
  return JSON.parse((await send(browser, page, path, fields)).text).options;
}

const askToAdd = (browser: Browser, passkeyPassword: string) =>
  send(browser, '/owner', '/owner/passkeys/options', { passkeyPassword });

async function deviceOf(browser: Browser) {
  const device = openAuthenticator(ORIGIN);
  const asked = await options(browser, '/owner', '/owner/passkeys/options', { passkeyPassword: PASSWORD });
  await send(browser, '/owner', '/owner/passkeys', { answer: device.create(asked) });
  return device;
}

/** Arranges the test and returns the function that submits the form. */
type Arrange = () => Promise<() => Promise<unknown>>;

const forStranger = (send_: (browser: Browser) => Promise<unknown>) => async () => {
  const browser = openBrowser(world);
  return () => send_(browser);
};

const forOwner = (path: string, fields: Record<string, string>) => async () => {
  const browser = await signedInBrowser(world);
  return () => send(browser, '/owner', path, fields);
};

const newestId = async (table: string) =>
  (await world.sql<{ id: string }>(`select id from ${table} order by id desc limit 1`))[0]?.id ?? '';

const signInAs = (email: string, password: string) =>
  forStranger((browser) => send(browser, '/sign-in', '/sign-in', { email, password }));

/** Every form: its path, the case, and the operation, outcome and object type of its one entry; null for no entry. */
const FORMS: [path: string, name: string, arrange: Arrange, left: [string, string, string] | null][] = [
  [
    '/set-up/:secret',
    'with a link',
    async () => {
      const path = await ownerLink(world, accountId);
      return () => send(openBrowser(world), path, path, { email: EMAIL, password: PASSWORD });
    },
    ['owner.setUp', 'ok', 'owner'],
  ],
  ['/sign-in', 'with the password', signInAs(EMAIL, PASSWORD), ['owner.signIn', 'ok', 'sign_in']],
  ['/sign-in', 'with a wrong password', signInAs(EMAIL, 'wrong'), ['owner.signIn', 'unauthorized', 'owner']],
  ['/sign-in', 'with an unknown address', signInAs('unknown@bells.example', PASSWORD), null],
  [
    '/sign-in/passkey',
    'with a passkey',
    async () => {
      const device = await deviceOf(await signedInBrowser(world));
      const browser = openBrowser(world);
      const answer = device.get(await options(browser, '/sign-in', '/sign-in/passkey/options'));
      return () => send(browser, '/sign-in', '/sign-in/passkey', { answer });
    },
    ['owner.signIn', 'ok', 'sign_in'],
  ],
  [
    '/sign-in/passkey',
    'with a copy of a device',
    async () => {
      const device = await deviceOf(await signedInBrowser(world));
      await world.sql('update passkeys set counter = 100000 where id = $1', [await newestId('passkeys')]);
      const browser = openBrowser(world);
      const answer = device.get(await options(browser, '/sign-in', '/sign-in/passkey/options'));
      return () => send(browser, '/sign-in', '/sign-in/passkey', { answer });
    },
    ['owner.signIn', 'unauthorized', 'passkey'],
  ],
  [
    '/sign-in/passkey',
    'with nonsense',
    forStranger((browser) => send(browser, '/sign-in', '/sign-in/passkey', { answer: '{"id":"x"}' })),
    null,
  ],
  [
    '/sign-in/passkey/options',
    'of anybody',
    forStranger((browser) => send(browser, '/sign-in', '/sign-in/passkey/options')),
    null,
  ],
  ['/sign-out', 'here', forOwner('/sign-out', {}), ['owner.signOut', 'ok', 'sign_in']],
  [
    '/owner/password',
    'with the password',
    forOwner('/owner/password', { password: PASSWORD, newPassword: PASSWORD }),
    ['owner.changePassword', 'ok', 'owner'],
  ],
  [
    '/owner/password',
    'with a wrong one',
    forOwner('/owner/password', { password: 'wrong', newPassword: PASSWORD }),
    ['owner.changePassword', 'unauthorized', 'owner'],
  ],
  [
    '/owner/password',
    'to one that is too short',
    forOwner('/owner/password', { password: PASSWORD, newPassword: 'short' }),
    ['owner.changePassword', 'invalid_request', 'owner'],
  ],
  [
    '/owner/sign-ins/end',
    'of another browser',
    async () => {
      await signedInBrowser(world);
      const signInId = await newestId('sign_ins');
      return forOwner('/owner/sign-ins/end', { signInId })();
    },
    ['owner.endSignIn', 'ok', 'sign_in'],
  ],
  [
    '/owner/sign-ins/end',
    'of an unknown person',
    forOwner('/owner/sign-ins/end', { signInId: UNKNOWN_ID }),
    ['owner.endSignIn', 'not_found', 'sign_in'],
  ],
  [
    '/owner/passkeys/options',
    'with the password',
    async () => {
      const browser = await signedInBrowser(world);
      return () => askToAdd(browser, PASSWORD);
    },
    null,
  ],
  [
    '/owner/passkeys/options',
    'with a wrong one',
    async () => {
      const browser = await signedInBrowser(world);
      return () => askToAdd(browser, 'wrong');
    },
    ['owner.addPasskey', 'unauthorized', 'owner'],
  ],
  [
    '/owner/passkeys',
    'of a device',
    async () => {
      const browser = await signedInBrowser(world);
      return () => deviceOf(browser);
    },
    ['owner.addPasskey', 'ok', 'passkey'],
  ],
  [
    '/owner/passkeys',
    'with nonsense',
    forOwner('/owner/passkeys', { answer: 'nonsense' }),
    ['owner.addPasskey', 'invalid_request', 'owner'],
  ],
  [
    '/owner/keys',
    'with the password',
    forOwner('/owner/keys', { name: 'New', type: 'live', password: PASSWORD }),
    ['keys.create', 'ok', 'key'],
  ],
  [
    '/owner/keys',
    'with a wrong one',
    forOwner('/owner/keys', { name: 'New', type: 'live', password: 'wrong' }),
    ['keys.create', 'unauthorized', 'owner'],
  ],
  [
    '/owner/keys/revoke',
    'of the account',
    async () => forOwner('/owner/keys/revoke', { keyId: (await world.key()).id, what: 'key' })(),
    ['keys.revoke', 'ok', 'key'],
  ],
  [
    '/owner/keys/revoke',
    'of an unknown person',
    forOwner('/owner/keys/revoke', { keyId: UNKNOWN_ID, what: 'key' }),
    ['keys.revoke', 'not_found', 'key'],
  ],
  [
    '/owner/passkeys/remove',
    'of a device',
    async () => {
      await deviceOf(await signedInBrowser(world));
      return forOwner('/owner/passkeys/remove', { passkeyId: await newestId('passkeys') })();
    },
    ['owner.removePasskey', 'ok', 'passkey'],
  ],
  [
    '/owner/passkeys/remove',
    'of an unknown person',
    forOwner('/owner/passkeys/remove', { passkeyId: UNKNOWN_ID }),
    ['owner.removePasskey', 'not_found', 'passkey'],
  ],
];

describe('forms', () => {
  it.each(FORMS)('%s %s: writes one entry', async (_path, _name, arrange, left) => {
    const act = await arrange();

    const found = await leftBy(act);

    const [operation, outcome, type] = left ?? [];
    const entry = {
      id: UUID,
      at: world.clock.now().toISOString(),
      actor: PERSON,
      surface: 'console',
      operation,
      object: { type, ids: [UUID] },
      outcome,
      mode: 'live',
      profileId: null,
      requestId: UUID,
    };
    expect(found).toEqual(left === null ? [] : [entry]);
    await world.sql('delete from sign_in_waits');
  });

  it('are all in this table', () => {
    const source = readFileSync(new URL('../../console/people/people-pages.ts', import.meta.url), 'utf8');
    const paths = [...source.matchAll(/router\.post\('([^']+)'/g)].map(([, path]) => path ?? '');

    expect([...new Set(FORMS.map(([path]) => path))].toSorted()).toEqual(paths.toSorted());
  });

  it('write no entry when they came from another site', async () => {
    const browser = await signedInBrowser(world);

    const left = await leftBy(() => browser.post('/owner/password', { password: PASSWORD, newPassword: PASSWORD }));

    expect(left).toEqual([]);
  });

  it('write no entry during a wait, in which nothing is checked', async () => {
    const browser = openBrowser(world);
    for (let tries = 0; tries < 5; tries += 1)
      await send(browser, '/sign-in', '/sign-in', { email: EMAIL, password: 'wrong' });

    const left = await leftBy(() => send(browser, '/sign-in', '/sign-in', { email: EMAIL, password: PASSWORD }));

    expect(left).toEqual([]);
    await world.sql('delete from sign_in_waits');
  });
});

describe('a sign-in', () => {
  it('does not start when the audit entry cannot be written', async () => {
    await using broken = await startWorld({ env: OWNER_ENV });
    await broken.sql('alter table audit_entries rename to gone_entries');
    const browser = openBrowser(broken);

    const { status } = await send(browser, '/sign-in', '/sign-in', { email: EMAIL, password: PASSWORD });

    expect(status).toBe(500);
    expect(await broken.sql('select id from sign_ins')).toEqual([]);
  });
});

describe('the operator', () => {
  const OPERATOR = { kind: 'operator', id: 'operator', name: 'operator' };

  it('is the actor when the environment creates the owner', async () => {
    await using other = await startWorld({ env: OWNER_ENV });

    expect(await entries(other)).toMatchObject([
      { actor: OPERATOR, surface: 'operator', operation: 'owner.setUp', object: { type: 'owner' }, outcome: 'ok' },
    ]);
  });

  it('is the actor when a link is created', async () => {
    const left = await leftBy(() => ownerLink(world, accountId));

    expect(left).toMatchObject([
      {
        actor: OPERATOR,
        surface: 'operator',
        operation: 'owner.link',
        object: { type: 'account', ids: [accountId] },
        outcome: 'ok',
        requestId: UUID,
      },
    ]);
  });
});
