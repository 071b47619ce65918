/** The keys that sign access tokens: rotated without an interruption, and stored encrypted. */
import { beforeAll, expect, it } from 'vitest';
import { oauthCommand } from '../../cli/oauth-command.ts';
import { createAuthorizationServer } from '../../server/oauth/authorization-server.ts';
import { machineTime } from '../../server/clocks.ts';
import { OPERATOR } from '../harness/owner.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callTool, type Person, refresh, signIn, tokensFor } from './agents.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
  person = await signIn(world);
});

const rotate = () => oauthCommand(fetch, ['rotate-keys'], { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
const works = async (token: string) => (await callTool(world, token, 'list_posts')).status === 200;
const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const published = async (): Promise<string[]> => {
  const { keys } = (await (await fetch(`${world.url}/oauth/jwks`)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

it('a rotation revokes no token: old tokens stay valid, new ones have the new key', async () => {
  const before = await tokensFor(world, person);
  world.clock.advance(1_000);
  const printed = await rotate();
  const { body } = await refresh(world, before.clientId, before.refresh);

  expect(printed).toContain(kidOf(body.access_token));
  expect(kidOf(body.access_token)).not.toBe(kidOf(before.access));
  expect([await works(before.access), await works(body.access_token)]).toEqual([true, true]);
  expect(await published()).toEqual([kidOf(body.access_token), kidOf(before.access)]);
});

it('a process that missed the rotation accepts tokens of the new key', async () => {
  const other = createAuthorizationServer(world.context, machineTime);
  expect(await other.checkAccessToken((await tokensFor(world, person)).access, ['mcp'])).not.toBeNull();
  world.clock.advance(1_000);
  await rotate();
  const { access, clientId } = await tokensFor(world, person);

  expect(await other.checkAccessToken(access, ['mcp'])).toMatchObject({ clientId });
});

it('housekeeping rotates after thirty days, and deletes keys whose tokens have long expired', async () => {
  const before = await published();
  world.clock.advance(30 * 86_400_000);
  await world.housekeep();
  const after = await published();

  expect(after).toHaveLength(2);
  expect(before).not.toContain(after[0]);
  expect(after[1]).toBe(before[0]);

  world.clock.advance(2 * 86_400_000);
  await world.housekeep();
  expect(await published()).toEqual([after[0]]);
});

it('are encrypted in the database', async () => {
  const rows = await world.sql<{ jwk: string }>('select jwk from oauth_keys');

  for (const { jwk } of rows) expect(jwk).toMatch(/^v1\.[\w-]{8}\./);
});
