/**
 * GET and PATCH /account: plan, usage, caps and settings, for unscoped live keys
 * (docs/contract/profiles-and-keys.md#account).
 */
import { describe, expect, it } from 'vitest';
import { UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: { DEFAULT_PLAN: 'free' } });

describe('GET 200', () => {
  it('returns plan, usage, caps and settings, with the default plan of new accounts', async () => {
    await makePost(world, world.sandboxSlug);
    await makePost(world, world.sandboxSlug, { key: world.testKey });

    const { status, body } = await world.rest('GET /account');

    expect(status).toBe(200);
    expect(body).toEqual({
      account: {
        id: UUID,
        plan: 'free',
        hasPaymentMethod: false,
        xAnalytics: false,
        rewriteDefault: false,
        xSpendCapCents: null,
        usage: {
          postsToday: 1,
          messagesToday: 0,
          activeConnections: 1,
          xSpendCents: 0,
          mediaBytes: 0,
          dayEndsAt: '2026-11-22T00:00:00.000Z',
        },
        caps: { postsPerDay: 100, messagesPerDay: null, activeConnections: 2, mediaBytes: 52_428_800 },
        createdAt: START.toISOString(),
      },
    });
  });

  it('has no caps on the plan unlimited', async () => {
    await using unlimited = await startWorld();

    const { body } = await unlimited.rest('GET /account');

    expect(body.account).toMatchObject({
      plan: 'unlimited',
      caps: { postsPerDay: null, messagesPerDay: null, activeConnections: null, mediaBytes: 52_428_800 },
    });
  });
});

describe('PATCH 200', () => {
  it('changes only the fields that are sent', async () => {
    const first = await world.rest('PATCH /account', { body: { xSpendCapCents: 500, xAnalytics: true } });
    const second = await world.rest('PATCH /account', { body: { rewriteDefault: true, xSpendCapCents: null } });
    const { body: read } = await world.rest('GET /account');

    expect(first.body.account).toMatchObject({ xSpendCapCents: 500, xAnalytics: true, rewriteDefault: false });
    expect(second.body.account).toMatchObject({ xSpendCapCents: null, xAnalytics: true, rewriteDefault: true });
    expect(read).toEqual(second.body);
  });
});

describe('PATCH 400 invalid_request', () => {
  it.each<[string, object, string]>([
    ['an empty body', {}, 'body: name at least one of xAnalytics, rewriteDefault, xSpendCapCents.'],
    ['the plan, which is the operator’s', { plan: 'unlimited' }, 'body: expected no field called "plan".'],
    ['a negative cap', { xSpendCapCents: -1 }, 'xSpendCapCents: expected at least 0.'],
    ['half a cent', { xSpendCapCents: 1.5 }, 'xSpendCapCents: expected an int.'],
  ])('refuses %s', async (_case, changes, message) => {
    const { status, body } = await world.rest('PATCH /account', { body: changes });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
  });
});

describe('403 forbidden', () => {
  it('refuses scoped keys and test keys', async () => {
    const profile = await world.profile();
    const scoped = await world.key({ profileId: profile.id });

    for (const key of [scoped.secret, world.testKey]) {
      const read = await world.rest('GET /account', { key });
      const write = await world.rest('PATCH /account', { key, body: { xAnalytics: true } });
      expect([read.status, read.body.error, write.status, write.body.error]).toEqual([
        403,
        'forbidden',
        403,
        'forbidden',
      ]);
    }
  });
});
