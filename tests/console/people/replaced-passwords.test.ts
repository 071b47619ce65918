/** A password that is replaced while a request with the old one waits to be checked gives that request nothing. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ARGON2_COST, hashPassword } from '../../../services/people/argon2id.ts';
import { passwordWork } from '../../../services/people/password-work.ts';
import { openBrowser } from '../../harness/browser.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { EMAIL, OWNER_ENV, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { personOf } from '../../oauth/people.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const NEW_PASSWORD = 'a wholly new password';
const OUTDATED = { ...ARGON2_COST, memory: 8_192 };
const hashes = {
  old: await hashPassword(PASSWORD, world.context.random.bytes),
  outdated: await hashPassword(PASSWORD, world.context.random.bytes, OUTDATED),
  new: await hashPassword(NEW_PASSWORD, world.context.random.bytes),
};

beforeEach(() => setPassword(hashes.old));

async function setPassword(hash: string): Promise<void> {
  await world.sql('update owners set password_hash = $1 where email = $2', [hash, EMAIL]);
}

/** Does what the link that replaces a lost password does. */
async function replacePassword(): Promise<void> {
  await setPassword(hashes.new);
  await world.sql('delete from sign_ins');
}

/** Makes a request whose password waits for its turn to be checked, until `meanwhile` has happened. */
async function delayed<Answer>(request: () => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<Answer> {
  await world.sql('delete from sign_in_waits');
  const turn = Promise.withResolvers<void>();
  const before = [passwordWork(() => turn.promise), passwordWork(() => turn.promise)];
  try {
    const answer = request();
    // An attempt is recorded after the person was read, and before the password is checked.
    await expect.poll(() => world.sql('select 1 from sign_in_waits where failures > 0')).not.toEqual([]);
    await meanwhile();
    turn.resolve();
    return await answer;
  } finally {
    turn.resolve();
    await Promise.all(before);
  }
}

async function signsIn(password: string): Promise<boolean> {
  const browser = openBrowser(world);
  const page = await browser.press(await browser.get('/sign-in'), 'Sign in', { Email: EMAIL, Password: password });
  return page.status === 303;
}

describe('a password that was replaced meanwhile', () => {
  it('signs no one in, and the attempt is recorded as a refusal', async () => {
    const browser = openBrowser(world);
    const form = await browser.get('/sign-in');

    const answer = await delayed(
      () => browser.press(form, 'Sign in', { Email: EMAIL, Password: PASSWORD }),
      replacePassword,
    );

    expect(answer.status).toBe(401);
    expect(await world.sql('select id from sign_ins')).toEqual([]);
    const { body: audit } = await world.rest('GET /audit?operation=owner.signIn');
    expect(audit.entries[0]).toMatchObject({ operation: 'owner.signIn', outcome: 'unauthorized' });
  });

  it('does not replace the new one', async () => {
    const browser = await signedInBrowser(world);
    const typed = { 'Current password': PASSWORD, 'New password': 'the password of a thief' };
    const page = await browser.get('/owner');

    const answer = await delayed(() => browser.press(page, 'Change password', typed), replacePassword);

    expect(answer.status).toBe(401);
    expect([await signsIn('the password of a thief'), await signsIn(NEW_PASSWORD)]).toEqual([false, true]);
  });

  it('makes no key', async () => {
    const browser = await signedInBrowser(world);
    const call = await consoleCalls(world, browser);
    const stolen = { name: 'Stolen', type: 'live', password: PASSWORD };

    const answer = await delayed(() => call('people.createKey', stolen), replacePassword);

    expect([answer.status, answer.body.message]).toEqual([
      400,
      'password: The password is wrong. Nothing was changed.',
    ]);
    const { body: list } = await world.rest('GET /keys');
    expect(list.keys.map(({ name }: { name: string }) => name)).not.toContain('Stolen');
  });

  it('invites no one, and gives no one another role', async () => {
    const { ownerId: personId } = await personOf(world, 'viewer');
    const asks = [
      ['people.invite', { email: 'thief@example.com', role: 'owner', password: PASSWORD }],
      ['people.changeRole', { personId, role: 'owner', password: PASSWORD }],
    ] as const;

    for (const [operation, input] of asks) {
      await setPassword(hashes.old);
      const call = await consoleCalls(world);
      const answer = await delayed(() => call(operation, input), replacePassword);
      expect([answer.status, answer.body.message]).toEqual([
        400,
        'password: The password is wrong. Nothing was changed.',
      ]);
    }

    expect(await world.sql('select role from owners where id = $1', [personId])).toEqual([{ role: 'viewer' }]);
    expect(await world.sql('select id from owner_links')).toEqual([]);
  });
});

describe('a browser that was signed out meanwhile', () => {
  const signOut = () => world.sql('delete from sign_ins');

  it('changes no password', async () => {
    const browser = await signedInBrowser(world);
    const page = await browser.get('/owner');
    const typed = { 'Current password': PASSWORD, 'New password': NEW_PASSWORD };

    const answer = await delayed(() => browser.press(page, 'Change password', typed), signOut);

    expect(answer.status).toBe(401);
    expect(answer.text).toContain('This browser was signed out meanwhile. Nothing was changed. Sign in again.');
    expect([await signsIn(NEW_PASSWORD), await signsIn(PASSWORD)]).toEqual([false, true]);
  });

  it('makes no key', async () => {
    const call = await consoleCalls(world);

    const answer = await delayed(
      () => call('people.createKey', { name: 'Stolen', type: 'live', password: PASSWORD }),
      signOut,
    );

    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized']);
  });
});

it.each(['removed', 'demoted'])('an owner who was %s meanwhile gets no key', async (what) => {
  const { ownerId, call } = await personOf(world, 'owner');
  const end = () =>
    what === 'removed'
      ? world.sql('delete from owners where id = $1', [ownerId])
      : world.sql(`update owners set role = 'viewer' where id = $1`, [ownerId]);

  const answer = await delayed(
    () => call('people.createKey', { name: 'Stolen', type: 'live', password: PASSWORD }),
    end,
  );

  expect([answer.status, answer.body.error]).toEqual(what === 'removed' ? [401, 'unauthorized'] : [403, 'forbidden']);
});

it('several sign-ins that renew the same outdated hash all succeed', async () => {
  await setPassword(hashes.outdated);

  expect(await Promise.all([signsIn(PASSWORD), signsIn(PASSWORD), signsIn(PASSWORD)])).toEqual([true, true, true]);
});
