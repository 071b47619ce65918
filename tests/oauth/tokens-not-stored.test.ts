/** A token request whose database fails: nothing is used up, so that the client can repeat it. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callTool, codeFor, type Person, redeem, refresh, registered, signIn, tokensFor } from './agents.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld();
  await world.sql(`create function no_successor() returns trigger language plpgsql as
    $$ begin raise exception 'the database stopped'; end $$`);
});
beforeEach(async () => {
  await world.sql('drop trigger if exists no_successor on oauth_artifacts');
  person = await signIn(world);
});

/** The database fails when a refresh token is stored. */
const fail = () =>
  world.sql(`create trigger no_successor before insert on oauth_artifacts for each row
    when (new.kind = 'RefreshToken') execute function no_successor()`);
const recover = () => world.sql('drop trigger no_successor on oauth_artifacts');

/** Longer than a repeat of a request that was answered is accepted. */
const LATER_MS = 12_000;

/** Makes the request while the database fails, and again when it has been back for a while. */
async function throughFailure<Answer>(request: () => Promise<Answer>): Promise<{ failed: Answer; repeated: Answer }> {
  await fail();
  const failed = await request();
  await recover();
  world.clock.advance(LATER_MS);
  return { failed, repeated: await request() };
}

const works = async (token: string) => (await callTool(world, token, 'list_connections')).status === 200;

const SERVER_ERROR = {
  error: 'server_error',
  error_description: 'oops! something went wrong',
};

describe('when the database fails while a refresh token is stored', () => {
  it('the refresh token that it replaces works later, and once', async () => {
    const { clientId, access, refresh: token } = await tokensFor(world, person);
    const { failed, repeated } = await throughFailure(() => refresh(world, clientId, token));

    expect([failed.status, failed.body]).toEqual([500, SERVER_ERROR]);
    expect(repeated.status).toBe(200);
    expect(await works(access)).toBe(true);
    expect(await works(repeated.body.access_token)).toBe(true);
    expect((await refresh(world, clientId, repeated.body.refresh_token)).status).toBe(200);
    world.clock.advance(LATER_MS);
    expect((await refresh(world, clientId, token)).body.error).toBe('invalid_grant');
  });

  it('the code that it is issued for works later, and once', async () => {
    const clientId = await registered(world);
    const code = await codeFor(person, { clientId });
    const { failed, repeated } = await throughFailure(() => redeem(world, clientId, code));

    expect([failed.status, failed.body]).toEqual([500, SERVER_ERROR]);
    expect(repeated.status).toBe(200);
    expect(await works(repeated.body.access_token)).toBe(true);
    expect((await redeem(world, clientId, code)).body.error).toBe('invalid_grant');
    expect(await works(repeated.body.access_token)).toBe(false);
  });
});

it('a code of a client without refresh tokens is valid once', async () => {
  const clientId = await registered(world, { grant_types: ['authorization_code'] });
  const code = await codeFor(person, { clientId });
  const first = await redeem(world, clientId, code);
  const second = await redeem(world, clientId, code);

  expect([first.status, second.status, second.body.error]).toEqual([200, 400, 'invalid_grant']);
});
