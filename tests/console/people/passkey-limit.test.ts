/** An owner has at most twenty passkeys. */
import { expect, it } from 'vitest';
import { openAuthenticator } from '../../harness/authenticator.ts';
import { OWNER_ENV, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const ORIGIN = 'http://localhost:3000';
const world = await startWorld({ env: { ...OWNER_ENV, PUBLIC_URL: ORIGIN } });

it('also when options for more were asked for before there were twenty', async () => {
  const browser = await signedInBrowser(world);
  await world.sql(
    `insert into passkeys (id, owner_id, credential_id, public_key, counter, created_at)
     select gen_random_uuid(), owners.id, 'x' || n, 'x', 0, $1 from owners, generate_series(1, 19) n`,
    [world.clock.now().toISOString()],
  );
  const { text } = await browser.get('/owner');
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const ask = () => browser.post('/owner/passkeys/options', { csrf, passkeyPassword: PASSWORD });
  const optionsOf = (said: { text: string }) => JSON.parse(said.text).options;
  const add = (options: Parameters<ReturnType<typeof openAuthenticator>['create']>[0]) =>
    browser.post('/owner/passkeys', { csrf, answer: openAuthenticator(ORIGIN).create(options) });
  const asked = [optionsOf(await ask()), optionsOf(await ask())];

  const answers = [await add(asked[0]), await add(asked[1])];

  expect(answers.map(({ status }) => status)).toEqual([303, 409]);
  expect(answers[1]?.text).toContain('There are twenty passkeys. Remove one first.');
  expect((await ask()).status).toBe(409);
  expect(await world.sql('select id from passkeys')).toHaveLength(20);
  const { body: audit } = await world.rest('GET /audit?operation=owner.addPasskey');
  expect(audit.entries.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['limit_exceeded', 'ok']);
});
