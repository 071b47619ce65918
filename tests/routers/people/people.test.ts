/** Operations with which owners manage the people of their account. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../harness/browser.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { EMAIL, OWNER_ENV, PASSWORD } from '../../harness/owner.ts';
import { otherAccount, personOf } from '../../oauth/people.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const owner = { call: await consoleCalls(world) };
const now = world.clock.now().toISOString();

let invited = 0;
const newEmail = () => `invited-${++invited}@bells.example`;

function invite(email: string, role = 'editor', call = owner.call) {
  return call('people.invite', { email, role, password: PASSWORD });
}

/** Uses the link of an invitation. @returns the browser, which is signed in */
async function join(
  url: string,
  typed: Record<string, string> = { Password: 'another four bells' },
  at: World = world,
) {
  const browser = openBrowser(at);
  const answer = await browser.press(await browser.get(new URL(url).pathname), 'Join', typed);
  return { browser, answer };
}

async function latestAudit(): Promise<unknown> {
  const { body } = await owner.call('audit.list', { limit: 1 });
  const { operation, outcome, actor, object } = body.entries[0];
  return { operation, outcome, actor: actor.name, object };
}

describe('people.invite', () => {
  it('gives a link once, which is good for a week, and names the invited person in the list', async () => {
    const email = newEmail();

    const { status, body } = await invite(` ${email.toUpperCase()} `);

    const expiresAt = new Date(world.clock.now().getTime() + 7 * 86_400_000).toISOString();
    const invitation = { id: UUID, email, role: 'editor', createdAt: now, expiresAt };
    const url = expect.stringMatching(/^http:\/\/localhost:3000\/set-up\/[\w-]{43}$/);
    expect({ status, body }).toEqual({ status: 200, body: { invitation, url, mail: 'off' } });
    expect((await owner.call('people.listInvitations')).body.invitations).toContainEqual(invitation);
    expect(await latestAudit()).toEqual({
      operation: 'people.invite',
      outcome: 'ok',
      actor: EMAIL,
      object: { type: 'invitation', ids: [body.invitation.id] },
    });
  });

  it('lets the person join with that address and that role, once', async () => {
    const email = newEmail();
    const { url } = (await invite(email, 'viewer')).body;

    const { browser, answer } = await join(url, { Email: 'else@bells.example', Password: 'another four bells' });

    expect([answer.status, answer.location]).toEqual([303, '/owner']);
    const call = await consoleCalls(world, browser);
    const { people } = (await call('people.list')).body;
    const person = people.find((one: { email: string }) => one.email === email);
    expect(person).toEqual({ id: UUID, email, role: 'viewer', createdAt: now, lastSeenAt: now, isYou: true });
    expect((await openBrowser(world).get(new URL(url).pathname)).status).toBe(410);
    const { body } = await owner.call('audit.list', { operation: 'people.join', limit: 1 });
    expect(body.entries[0]).toMatchObject({ actor: { kind: 'person', name: email }, outcome: 'ok' });
  });

  it('replaces an earlier invitation for the same address', async () => {
    const email = newEmail();
    const [first, second] = [(await invite(email)).body, (await invite(email, 'owner')).body];

    expect((await openBrowser(world).get(new URL(first.url).pathname)).status).toBe(410);
    expect((await openBrowser(world).get(new URL(second.url).pathname)).status).toBe(200);
    const { invitations } = (await owner.call('people.listInvitations')).body;
    expect(invitations.filter((one: { email: string }) => one.email === email)).toEqual([second.invitation]);
  });

  it.each([
    ['an address of this account', EMAIL, 409, 'email_taken', `email: ${EMAIL} already signs in to this account.`],
    ['no address', 'bells', 400, 'invalid_request', 'email: bells is not an email address.'],
  ])('refuses %s, and records it', async (_what, email, status, error, message) => {
    const answer = await invite(email);

    expect(answer).toMatchObject({ status, body: { error, message } });
    expect(await latestAudit()).toEqual({ operation: 'people.invite', outcome: error, actor: EMAIL, object: null });
  });

  it('refuses an address of another account', async () => {
    const { email } = await personOf(world, 'owner', await otherAccount(world));

    expect(await invite(email)).toMatchObject({
      status: 409,
      body: { error: 'email_taken', message: `email: ${email} already signs in to another account of this install.` },
    });
  });

  it('asks for the password of the owner', async () => {
    const person = await personOf(world, 'owner');

    const answer = await person.call('people.invite', { email: newEmail(), role: 'owner', password: 'wrong' });

    const message = 'password: The password is wrong. Nothing was changed.';
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', message } });
  });

  it('stores the link as a hash, and deletes it when it expires', async () => {
    await using own = await startWorld({ env: OWNER_ENV });
    const { url } = (await invite(newEmail(), 'viewer', await consoleCalls(own))).body;
    const rows = await own.sql('select * from owner_links');

    own.clock.advance(7 * 86_400_000);
    await own.housekeep();

    expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-1));
    expect(await own.sql('select id from owner_links')).toEqual([]);
    expect((await openBrowser(own).get(new URL(url).pathname)).status).toBe(410);
  });

  it('stops at fifty people and open invitations', async () => {
    const accountId = await otherAccount(world);
    const person = await personOf(world, 'owner', accountId);
    await world.sql(
      `insert into owner_links (id, account_id, secret_hash, email, role, expires_at, created_at)
       select gen_random_uuid(), $1, md5(n::text), n || '@bells.example', 'viewer', $2::timestamptz + interval '1 day', $2
       from generate_series(1, 49) n`,
      [accountId, now],
    );

    const answer = await invite(newEmail(), 'viewer', person.call);

    expect(answer).toMatchObject({ status: 403, body: { error: 'limit_exceeded' } });
    expect(answer.body.message).toContain('1 people and 49 open invitations; the limit is 50 together');
  });
});

describe('people.withdrawInvitation', () => {
  it('ends the link at once', async () => {
    const { invitation, url } = (await invite(newEmail())).body;

    const { status, body } = await owner.call('people.withdrawInvitation', { invitationId: invitation.id });

    expect({ status, body }).toEqual({ status: 200, body: { withdrawn: true } });
    expect((await openBrowser(world).get(new URL(url).pathname)).status).toBe(410);
    expect(await latestAudit()).toMatchObject({ operation: 'people.withdrawInvitation', outcome: 'ok' });
    const again = await owner.call('people.withdrawInvitation', { invitationId: invitation.id });
    expect(again).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

describe('people.changeRole', () => {
  it('applies to the next request of the person', async () => {
    const person = await personOf(world, 'owner');
    const asked = { personId: person.ownerId, role: 'viewer', password: PASSWORD };

    const { status, body } = await owner.call('people.changeRole', asked);

    expect({ status, body }).toEqual({ status: 200, body: { changed: true } });
    const refused = await person.call('profiles.create', { name: 'Bells' });
    const message = 'Your role, viewer, cannot do this, because it lacks profiles:write. Ask an owner of the account.';
    expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden', message } });
    expect(await latestAudit()).toMatchObject({
      operation: 'profiles.create',
      outcome: 'forbidden',
      actor: person.email,
    });
    const object = { type: 'person', ids: [person.ownerId] };
    const { entries } = (await owner.call('audit.list', { operation: 'people.changeRole', limit: 1 })).body;
    expect(entries[0]).toMatchObject({ actor: { kind: 'person', name: EMAIL }, outcome: 'ok', object });
  });

  it('ends the invitations of an owner who is none anymore', async () => {
    const person = await personOf(world, 'owner');
    const { url } = (await invite(newEmail(), 'owner', person.call)).body;

    await owner.call('people.changeRole', { personId: person.ownerId, role: 'editor', password: PASSWORD });

    expect((await openBrowser(world).get(new URL(url).pathname)).status).toBe(410);
  });

  it('does not lower the last owner', async () => {
    const person = await personOf(world, 'owner', await otherAccount(world));

    const asked = { personId: person.ownerId, role: 'editor', password: PASSWORD };
    const answer = await person.call('people.changeRole', asked);

    const message = `${person.email} is the last owner of the account: without one, no one could manage it.`;
    expect(answer).toMatchObject({ status: 409, body: { error: 'last_owner', message } });
    expect((await person.call('people.session')).body.role).toBe('owner');
  });
});

describe('people.remove', () => {
  it('ends sign-ins, passkeys and invitations of the person, and keeps the keys of the account', async () => {
    const person = await personOf(world, 'owner');
    const { url } = (await invite(newEmail(), 'owner', person.call)).body;
    await world.sql(
      `insert into passkeys (id, owner_id, credential_id, public_key, counter, created_at) values ($1, $2, 'x', 'x', 0, $3)`,
      [world.context.random.uuid(), person.ownerId, now],
    );
    const profile = await person.call('profiles.create', { name: 'Bells' });
    const minted = await person.call('keys.mint', { profileId: profile.body.profile.id, name: 'K', type: 'live' });

    const { status, body } = await owner.call('people.remove', { personId: person.ownerId });

    expect({ status, body }).toEqual({ status: 200, body: { removed: true } });
    expect(await person.call('people.session')).toMatchObject({ status: 401 });
    expect((await person.browser.get('/owner')).location).toMatch(/^\/sign-in/);
    expect((await openBrowser(world).get(new URL(url).pathname)).status).toBe(410);
    for (const table of ['passkeys', 'sign_ins']) {
      expect(await world.sql(`select id from ${table} where owner_id = $1`, [person.ownerId])).toEqual([]);
    }
    expect((await world.rest('GET /posts', { key: minted.body.secret })).status).toBe(200);
    expect(await latestAudit()).toEqual({
      operation: 'people.remove',
      outcome: 'ok',
      actor: EMAIL,
      object: { type: 'person', ids: [person.ownerId] },
    });
  });

  it('of two owners who remove each other at once leaves one', async () => {
    const accountId = await otherAccount(world);
    const [one, other] = [await personOf(world, 'owner', accountId), await personOf(world, 'owner', accountId)];

    const answers = await Promise.all([
      one.call('people.remove', { personId: other.ownerId }),
      other.call('people.remove', { personId: one.ownerId }),
    ]);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await world.sql('select role from owners where account_id = $1', [accountId])).toEqual([{ role: 'owner' }]);
  });

  it('and lowering at once leave an owner', async () => {
    const accountId = await otherAccount(world);
    const [one, other] = [await personOf(world, 'owner', accountId), await personOf(world, 'owner', accountId)];

    await Promise.all([
      one.call('people.changeRole', { personId: other.ownerId, role: 'viewer', password: PASSWORD }),
      other.call('people.changeRole', { personId: one.ownerId, role: 'viewer', password: PASSWORD }),
      one.call('people.leave'),
      other.call('people.leave'),
    ]);

    const owners = await world.sql(`select id from owners where account_id = $1 and role = 'owner'`, [accountId]);
    expect(owners).toHaveLength(1);
  });
});

describe('people.leave', () => {
  it.each(['editor', 'viewer'] as const)('lets a person who is %s leave', async (role) => {
    const person = await personOf(world, role);

    const { status, body } = await person.call('people.leave');

    expect({ status, body }).toEqual({ status: 200, body: { left: true } });
    expect((await person.call('people.session')).status).toBe(401);
    expect(await latestAudit()).toMatchObject({ operation: 'people.leave', outcome: 'ok', actor: person.email });
  });

  it('does not let the last owner leave', async () => {
    const person = await personOf(world, 'owner', await otherAccount(world));

    expect(await person.call('people.leave')).toMatchObject({ status: 409, body: { error: 'last_owner' } });
  });
});

describe('a person of another account', () => {
  it('neither sees nor changes the people and invitations of this one', async () => {
    const target = await personOf(world, 'viewer');
    const { invitation } = (await invite(newEmail())).body;
    const stranger = await personOf(world, 'owner', await otherAccount(world));
    const { ownerId: personId } = target;

    expect((await stranger.call('people.list')).body.people.map(({ id }: { id: string }) => id)).toEqual([
      stranger.ownerId,
    ]);
    expect((await stranger.call('people.listInvitations')).body).toEqual({ invitations: [] });
    const attempts = await Promise.all([
      stranger.call('people.remove', { personId }),
      stranger.call('people.remove', { personId: UNKNOWN_ID }),
      stranger.call('people.changeRole', { personId, role: 'owner', password: PASSWORD }),
      stranger.call('people.withdrawInvitation', { invitationId: invitation.id }),
    ]);
    expect(attempts.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await target.call('people.session')).body.role).toBe('viewer');
  });
});
