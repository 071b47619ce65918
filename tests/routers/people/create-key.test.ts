/** people.createKey makes keys of the whole account, for a person who gives the password again. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { UUID } from '../../harness/expected.ts';
import { OWNER_ENV, PASSWORD } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });

describe('people.createKey', () => {
  it('makes a key of the whole account with scopes and an end, and records who did', async () => {
    const call = await consoleCalls(world);
    const expiresAt = new Date(world.clock.now().getTime() + 86_400_000).toISOString();

    const { status, body } = await call('people.createKey', {
      name: 'Reader',
      type: 'live',
      scopes: ['connections:read'],
      expiresAt,
      password: PASSWORD,
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      key: {
        id: UUID,
        name: 'Reader',
        type: 'live',
        prefix: body.secret.slice(0, 14),
        profileId: null,
        redirectAllowlist: null,
        approval: 'none',
        policyId: null,
        scopes: ['connections:read'],
        createdBy: null,
        createdAt: world.clock.now().toISOString(),
        lastUsedAt: null,
        expiresAt,
        revokedAt: null,
      },
      secret: expect.stringMatching(/^crl_live_/),
    });
    expect((await world.rest('GET /connections', { key: body.secret })).status).toBe(200);
    expect((await world.rest('GET /posts', { key: body.secret })).status).toBe(403);
    const { body: audit } = await world.rest('GET /audit?operation=keys.create');
    expect(audit.entries[0]).toMatchObject({
      actor: { kind: 'person' },
      surface: 'console',
      object: { type: 'key', ids: [body.key.id] },
      outcome: 'ok',
    });
  });

  it('makes nothing with a wrong password, and slows down who guesses', async () => {
    const call = await consoleCalls(world);
    const wrong = { name: 'Stolen', type: 'live', password: 'not it' };

    const { status, body } = await call('people.createKey', wrong);

    expect([status, body.error, body.message]).toEqual([
      400,
      'invalid_request',
      'password: The password is wrong. Nothing was changed.',
    ]);
    const { body: list } = await world.rest('GET /keys');
    expect(list.keys.map(({ name }: { name: string }) => name)).not.toContain('Stolen');
    let throttled = body;
    for (let tries = 0; tries < 20 && throttled.error === 'invalid_request'; tries += 1) {
      throttled = (await call('people.createKey', wrong)).body;
    }
    expect(throttled.error).toBe('too many requests');
  });
});
