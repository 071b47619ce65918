/** The whole flow of an agent: register, request access, get consent, exchange the code, work, refresh. */
import { beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import {
  answered,
  callTool,
  claimsOf,
  openConsent,
  type Person,
  redeem,
  refresh,
  registered,
  RESOURCE,
  signIn,
  tokensFor,
} from './agents.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
});

describe('consent', () => {
  it('gives the client a code, with its state and the issuer', async () => {
    const clientId = await registered(world);
    const consent = await openConsent(person.browser, { clientId });

    expect(consent.status).toBe(200);
    const back = await answered(person.browser, consent);

    expect(`${back.origin}${back.pathname}`).toBe('https://agent.example/callback');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'a-state',
      iss: PUBLIC_URL,
    });
  });

  it('lets the client work within its grant, for ten minutes', async () => {
    const clientId = await registered(world);
    const back = await answered(person.browser, await openConsent(person.browser, { clientId }));
    const { status, body } = await redeem(world, clientId, back.searchParams.get('code') ?? '');

    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/^[\w-]{43}$/),
        expires_in: 600,
        scope: 'connections:read posts:read',
        token_type: 'Bearer',
      },
    ]);
    const now = Math.floor(world.clock.now().getTime() / 1_000);
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    expect(claimsOf(body.access_token)).toEqual({
      iss: PUBLIC_URL,
      aud: RESOURCE,
      sub: person.ownerId,
      client_id: clientId,
      gid: grant?.id,
      scope: 'connections:read posts:read',
      jti: expect.any(String),
      iat: now,
      exp: now + 600,
    });
    const called = await callTool(world, body.access_token, 'list_connections');
    expect([called.status, called.body.result.isError]).toEqual([200, undefined]);

    world.clock.advance(605_000);
    expect((await callTool(world, body.access_token, 'list_connections')).status).toBe(401);
  });

  it('lasts while the client refreshes', async () => {
    let tokens = await tokensFor(world, person);
    for (let days = 0; days < 60; days += 20) {
      world.clock.advance(20 * 86_400_000);
      const { status, body } = await refresh(world, tokens.clientId, tokens.refresh);
      expect(status).toBe(200);
      tokens = { ...tokens, access: body.access_token, refresh: body.refresh_token };
    }

    expect((await callTool(world, tokens.access, 'list_connections')).status).toBe(200);
    world.clock.advance(91 * 86_400_000);
    expect((await refresh(world, tokens.clientId, tokens.refresh)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'grant request is invalid',
    });
  });
});
