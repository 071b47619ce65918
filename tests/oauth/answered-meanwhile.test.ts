/** A second answer to a request while the browser follows the redirect of the first one, which ends the request. */
import { expect, it } from 'vitest';
import { holdRows } from '../harness/hold-rows.ts';
import { startWorld } from '../harness/world.ts';
import { openConsent, registered, signIn } from './agents.ts';

const world = await startWorld();
const isPostgres = world.db.engine === 'postgres';
const person = await signIn(world);
const { id: profileId } = await world.profile('Bells');

const ANSWERED = '<p>This request was answered already. Go back to the program.</p>';

const left = async () => {
  const grants = await world.sql('select 1 from oauth_grants');
  const denials = await world.sql(`select 1 from audit_entries where operation = 'oauth.grant'`);
  return [grants.length, denials.length];
};

it.skipIf(!isPostgres)('finds no request before it is stored, and the page says so', async () => {
  const consent = await openConsent(person.browser, { clientId: await registered(world) });
  // The choice of a profile is checked between the two looks at the request.
  const held = await holdRows(world, 'lock table profiles in access exclusive mode');
  const pressed = person.browser.press(consent, 'Allow', { 'What it reaches': profileId });
  await held.waiting(1, pressed);
  await world.sql(`delete from oauth_artifacts where kind = 'Interaction'`);
  await held.release();

  const { status, text } = await pressed;

  expect([status, text.includes(ANSWERED)]).toEqual([409, true]);
  expect(await left()).toEqual([0, 0]);
});

it.skipIf(!isPostgres).each(['Allow', 'Deny'])(
  'of %s finds no request while it is stored, leaves nothing, and the page says so',
  async (button) => {
    const consent = await openConsent(person.browser, { clientId: await registered(world) });
    const held = await holdRows(world, `delete from oauth_artifacts where kind = 'Interaction'`);
    const pressed = person.browser.press(consent, button, { 'What it reaches': 'account' });
    await held.waiting(1, pressed);
    await held.release();

    const { status, text } = await pressed;

    expect([status, text.includes(ANSWERED)]).toEqual([409, true]);
    expect(await left()).toEqual([0, 0]);
  },
);

it('that comes after the redirect is told that the request may have been answered', async () => {
  const consent = await openConsent(person.browser, { clientId: await registered(world) });
  const first = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });
  await person.browser.get(first.location ?? '');

  const again = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });

  expect(again.status).toBe(400);
  expect(again.text).toContain('This request was answered already, has ended or belongs to another browser.');
});
