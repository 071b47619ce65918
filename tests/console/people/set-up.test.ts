/** /set-up/{secret}: creates or replaces the email and password of an account's owner, once. */
import { describe, expect, it } from 'vitest';
import { type BrowserPage, openBrowser } from '../../harness/browser.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { EMAIL, OPERATOR, OWNER_ENV, ownerLink, PASSWORD } from '../../harness/owner.ts';
import { startWorld, type World } from '../../harness/world.ts';
import { otherAccount, personOf } from '../../oauth/people.ts';

const env = { OPERATOR_TOKEN: OPERATOR };
const TYPED = { Email: 'Owner@Bells.example', Password: 'four bells at midnight' };

async function worldWithLink(): Promise<World & { link(): Promise<string> }> {
  const world = await startWorld({ env });
  const [account] = await world.sql<{ id: string }>('select id from accounts');
  return { ...world, link: () => ownerLink(world, account?.id ?? '') };
}

describe('a link', () => {
  it('creates the owner, signs the browser in, and works once', async () => {
    await using world = await worldWithLink();
    const path = await world.link();
    const browser = openBrowser(world);

    const form = await browser.get(path);
    const answer = await browser.press(form, 'Set up', TYPED);

    expect([answer.status, answer.location]).toEqual([303, '/owner']);
    expect((await browser.get('/owner')).text).toContain('owner@bells.example');
    const [owner] = await world.sql<{ password_hash: string }>('select password_hash from owners');
    expect(owner?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    const again = await openBrowser(world).get(path);
    expect(again.status).toBe(410);
    expect(again.text).toContain('npm run carillon -- owner link');
    expect((await browser.press(form, 'Set up', TYPED)).status).toBe(410);
  });

  it('is not used up by a GET', async () => {
    await using world = await worldWithLink();
    const path = await world.link();

    await openBrowser(world).head(path);
    await openBrowser(world).get(path);

    expect((await openBrowser(world).get(path)).status).toBe(200);
  });

  it('works for an hour', async () => {
    await using world = await worldWithLink();
    const path = await world.link();
    const browser = openBrowser(world);
    const form = await browser.get(path);

    world.clock.advance(3_600_000 - 1);
    const before = await browser.get(path);
    world.clock.advance(1);

    expect(before.status).toBe(200);
    expect((await browser.get(path)).status).toBe(410);
    expect((await browser.press(form, 'Set up', TYPED)).status).toBe(410);
    expect(await world.sql('select id from owners')).toEqual([]);
    await world.housekeep();
    expect(await world.sql('select id from owner_links')).toEqual([]);
  });

  it('has one winner when two use it at once', async () => {
    await using world = await worldWithLink();
    const path = await world.link();
    const browsers = [openBrowser(world), openBrowser(world)];
    const forms = await Promise.all(browsers.map((browser) => browser.get(path)));

    const answers = await Promise.all(
      browsers.map((browser, index) =>
        browser.press(forms[index] as (typeof forms)[0], 'Set up', { ...TYPED, Email: `owner-${index}@bells.example` }),
      ),
    );

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 410]);
    expect(await world.sql('select id from owners')).toHaveLength(1);
  });

  it('refuses an address that a person of another account takes at the same moment', async (test) => {
    await using world = await worldWithLink();
    test.skip(world.db.engine !== 'postgres');
    const links = [await world.link(), await ownerLink(world, await otherAccount(world))];
    const browsers = [openBrowser(world), openBrowser(world)];
    const forms = await Promise.all(browsers.map((browser, index) => browser.get(links[index] ?? '')));

    const held = await holdRows(world, 'lock table sign_ins in exclusive mode');
    const pressed = browsers.map((browser, index) => browser.press(forms[index] as BrowserPage, 'Set up', TYPED));
    await held.waiting(2, Promise.race(pressed));
    await held.release();

    const answers = await Promise.all(pressed);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 400]);
    const refused = answers.findIndex(({ status }) => status === 400);
    expect(answers[refused]?.text).toContain('Another person on this install signs in with this address.');
    const again = { ...TYPED, Email: 'another@bells.example' };
    expect((await browsers[refused]?.press(answers[refused] as BrowserPage, 'Set up', again))?.status).toBe(303);
  });

  it('is stored as a hash', async () => {
    await using world = await worldWithLink();
    const path = await world.link();

    const rows = await world.sql('select * from owner_links');

    expect(rows).toMatchObject([{ secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(JSON.stringify(rows)).not.toContain(path.slice('/set-up/'.length));
  });

  it.each(['', 'x', 'A'.repeat(43), '%00', '%F0%9F%94%94', 'a'.repeat(5_000)])(
    'that does not exist opens nothing: %s',
    async (secret) => {
      await using world = await worldWithLink();

      const { status } = await openBrowser(world).get(`/set-up/${secret}`);

      expect(status).toBe(secret === '' ? 404 : 410);
    },
  );
});

describe('a link for the owner who joined first', () => {
  const typed = { ...TYPED, Email: 'first@bells.example' };

  /** A world with an account of two owners. */
  async function twoOwners() {
    const world = await startWorld({ env: OWNER_ENV });
    const accountId = await otherAccount(world);
    const first = await personOf(world, 'owner', accountId);
    const second = await personOf(world, 'owner', accountId);
    return { ...world, first, second, link: () => ownerLink(world, accountId) };
  }

  it('ends when this owner is removed, and resets no one else', async () => {
    await using world = await twoOwners();
    const { first, second } = world;
    const path = await world.link();
    const browser = openBrowser(world);
    const form = await browser.get(path);

    const { status } = await second.call('people.remove', { personId: first.ownerId });

    expect([status, (await browser.get(path)).status]).toEqual([200, 410]);
    expect((await browser.press(form, 'Save', typed)).status).toBe(410);
    expect((await second.call('people.session')).status).toBe(200);
    expect(await world.sql('select email from owners where id = $1', [second.ownerId])).toEqual([
      { email: second.email },
    ]);
  });

  it('is still for this person after they got another role, which they keep', async () => {
    await using world = await twoOwners();
    const { first, second } = world;
    const path = await world.link();
    const change = { personId: first.ownerId, role: 'viewer', password: PASSWORD };
    expect((await second.call('people.changeRole', change)).status).toBe(200);

    const browser = openBrowser(world);
    const answer = await browser.press(await browser.get(path), 'Save', typed);

    expect(answer.status).toBe(303);
    expect(await world.sql('select id, email, role from owners where email <> $1 order by id', [EMAIL])).toEqual([
      { id: first.ownerId, email: 'first@bells.example', role: 'viewer' },
      { id: second.ownerId, email: second.email, role: 'owner' },
    ]);
  });

  it('that is made while this owner is removed ends with them', async (test) => {
    await using world = await twoOwners();
    test.skip(world.db.engine !== 'postgres');
    const { first, second } = world;

    const held = await holdRows(world, 'lock table owner_links in exclusive mode');
    const made = world.link();
    await held.waiting(1, made);
    const removed = second.call('people.remove', { personId: first.ownerId });
    await held.waiting(2, removed);
    await held.release();

    expect((await removed).status).toBe(200);
    expect((await openBrowser(world).get(await made)).status).toBe(410);
  });
});

describe('the input', () => {
  it.each([
    ['unknown', 'four bells at midnight', 'The email must be an address such as you@bells.example.'],
    [`${'a'.repeat(250)}@b.cd`, 'four bells at midnight', 'The email must be an address such as you@bells.example.'],
    ['a@b.cd', 'four bells', 'The password must have at least 12 characters; this one has 10.'],
    ['a@b.cd', '\u{1F514}'.repeat(11), 'The password must have at least 12 characters; this one has 11.'],
    ['a@b.cd', 'x'.repeat(1_025), 'The password must have at most 1024 bytes; this one has 1025.'],
  ])('is refused with a fix, and the link still works: %s, %s', async (Email, Password, problem) => {
    await using world = await worldWithLink();
    const path = await world.link();
    const browser = openBrowser(world);

    const page = await browser.press(await browser.get(path), 'Set up', { Email, Password });

    expect(page.status).toBe(400);
    expect(page.text).toContain(`<div class="problem" role="alert"><p>${problem}</p></div>`);
    expect(page.text).toContain(`value="${Email}"`);
    expect(page.text).not.toContain(Password);
    expect((await browser.press(page, 'Set up', TYPED)).status).toBe(303);
  });
});
