/** Access that is not used ends, and owners learn of it. */
import { afterAll, expect, it } from 'vitest';
import { OWNER_ENV } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { MAILBOX, startFakeMail } from '../platforms/fakes/fake-mail.ts';
import { codeFor, redeem, refresh, registered, signIn, tokensFor } from './agents.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());
const world = await startWorld({ env: { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from } });
const person = await signIn(world);
const DAY = 86_400_000;

const grants = async () => (await world.sql('select id from oauth_grants')).length;

it('after ninety days without use, with one mail to the owners', async () => {
  const used = await tokensFor(world, person);
  await tokensFor(world, person);

  world.clock.advance(60 * DAY);
  const { status } = await refresh(world, used.clientId, used.refresh);
  await world.housekeep();
  expect([status, await grants()]).toEqual([200, 2]);

  world.clock.advance(31 * DAY);
  await world.housekeep();
  await world.runDue();

  expect(await grants()).toBe(1);
  const [sent, ...others] = mail.messages().filter(({ raw }) => raw.includes('has ended'));
  expect(others.length).toBeLessThanOrEqual(1);
  expect(sent?.raw).toContain('Subject: The access of an agent has ended');
  expect(sent?.raw).toContain('Agent');
});

it.each([
  ['whose client takes no refresh token', true],
  ['whose client never fetched its tokens', false],
])('a grant %s ends after ninety days too', async (_name, isRedeemed) => {
  const clientId = await registered(world, { grant_types: ['authorization_code'] });
  const code = await codeFor(await signIn(world), { clientId });
  if (isRedeemed) expect((await redeem(world, clientId, code)).body).not.toHaveProperty('refresh_token');
  const isKept = async () =>
    (await world.sql('select id from oauth_grants where client_id = $1', [clientId])).length === 1;

  world.clock.advance(89 * DAY);
  await world.housekeep();
  const before = await isKept();
  world.clock.advance(2 * DAY);
  await world.housekeep();

  expect([before, await isKept()]).toEqual([true, false]);
});

it('a grant that was revoked is removed without a mail', async () => {
  const before = mail.messages().length;
  // Signing in lasts for less time than the test before has passed.
  const { clientId, refresh: token } = await tokensFor(world, await signIn(world));
  await fetch(`${world.url}/oauth/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, client_id: clientId }).toString(),
  });

  world.clock.advance(31 * DAY);
  await world.housekeep();
  await world.runDue();

  expect(mail.messages().length).toBe(before);
});
