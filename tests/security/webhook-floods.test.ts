/** No profile can queue so many deliveries, or stall so long, that another profile or account waits. */
import { describe, expect, it } from 'vitest';
import { runRound } from '../../jobs/run-round.ts';
import { webhookDeliveries } from '../../jobs/webhook-deliveries.ts';
import { makeAccount } from '../harness/accounts.ts';
import { refusal } from '../harness/expected.ts';
import { registerWebhook, startReceiver } from '../harness/receiver.ts';
import { startWorld } from '../harness/world.ts';

// No attempt times out within a test: a stalling receiver stalls to the end.
const world = await startWorld({ receivers: { timeoutMs: 60_000 } });

const round = () => runRound(world.context, webhookDeliveries, new AbortController().signal);

/** An account with a live key for each of this many profiles. */
async function accountWithProfiles(count: number) {
  const account = await makeAccount(world);
  const profiles = await Promise.all(
    Array.from({ length: count }, async () => {
      const { id } = await world.profile('A', account.id);
      const secretOf = async (type: 'live' | 'test') =>
        (await world.key({ accountId: account.id, profileId: id, type })).secret;
      return { id, live: await secretOf('live'), test: await secretOf('test') };
    }),
  );
  return { ...account, profiles };
}

const register = (key: string) => world.rest('POST /webhooks', { key, body: { url: 'http://127.0.0.1:9/hook' } });

describe('webhooks', () => {
  it('are at most 20 per profile, live and test together, also when all are registered at once', async () => {
    const { key, profiles } = await accountWithProfiles(2);
    const [{ id, live, test } = { id: '', live: '', test: '' }, other] = profiles;

    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => register(index % 2 === 0 ? live : test)),
    );

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(10);
    const message = `The profile ${id} has 20 webhooks; the limit is 20. Delete one with DELETE /webhooks/{webhookId} first.`;
    for (const { status, body } of refused) expect([status, body]).toEqual([403, refusal('limit_exceeded', message)]);
    expect((await register(other?.live ?? '')).status).toBe(200);
    expect((await register(key)).status).toBe(200);

    const deleted = answers.find(({ status }) => status === 200)?.body.webhook.id;
    await world.rest(`DELETE /webhooks/${deleted}`, { key });
    expect((await register(live)).status).toBe(200);
  });

  it('are at most 100 per account, including its profiles, also when all are registered at once', async () => {
    const { key, profiles } = await accountWithProfiles(6);
    for (const { live } of profiles.slice(0, 5)) await Promise.all(Array.from({ length: 19 }, () => register(live)));
    const latest = profiles.at(-1)?.live ?? '';

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => register(index % 2 === 0 ? key : latest)),
    );

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    const message =
      'The account has 100 webhooks; the limit is 100. Delete one with DELETE /webhooks/{webhookId} first.';
    for (const { status, body } of refused) expect([status, body]).toEqual([403, refusal('limit_exceeded', message)]);
    expect((await world.rest('GET /webhooks', { key })).body.webhooks).toHaveLength(100);
  });
});

describe('receivers that stall', () => {
  it.each([
    ['well so far', false],
    ['failing', true],
  ])(
    'take no webhook lease from a profile that has none, in another account or their own, when all are %s',
    async (_case, failing) => {
      const held: (() => void)[] = [];
      const hanging = await startReceiver((response) => held.push(() => response.writeHead(200).end()));
      const [flooding, shared] = [await accountWithProfiles(5), await accountWithProfiles(2)];
      const [stuck, quiet] = shared.profiles;
      const queued = async (key: string, url: string) => {
        const { id } = await registerWebhook(world, url, { key });
        await world.sql('update webhooks set failing = $2 where id = $1', [id, failing]);
        await world.rest(`POST /webhooks/${id}/test`, { key });
      };
      const keys = [...flooding.profiles, ...(stuck === undefined ? [] : [stuck])].map(({ live }) => live);
      for (const key of keys) await Promise.all(Array.from({ length: 20 }, () => queued(key, hanging.url)));
      await round();
      await expect.poll(() => hanging.received.length).toBe(failing ? 50 : 100);
      const [neighbour, stranger] = [await startReceiver(), await startReceiver()];
      await queued(quiet?.live ?? '', neighbour.url);
      await queued((await makeAccount(world)).key, stranger.url);

      await round();

      await expect.poll(() => [neighbour.received.length, stranger.received.length]).toEqual([1, 1]);
      expect(hanging.received).toHaveLength(failing ? 50 : 100);
      hanging.answer(200);
      held.splice(0).forEach((letGo) => letGo());
      await world.context.deliveries.drained();
      await world.runDue();
      expect(hanging.received).toHaveLength(120);
    },
  );

  it('share the available webhook leases: by account first, then by profile', async () => {
    const held: (() => void)[] = [];
    const hanging = await startReceiver((response) => held.push(() => response.writeHead(200).end()));
    const [many, few] = [await accountWithProfiles(3), await accountWithProfiles(1)];
    const queue = async (key: string, path: string, count: number) => {
      for (let index = 0; index < count; index += 1) {
        const { id } = await registerWebhook(world, `${hanging.url}/${path}`, { key });
        await world.sql('update webhooks set failing = true where id = $1', [id]);
        await world.rest(`POST /webhooks/${id}/test`, { key });
      }
    };
    await queue(many.key, 'own', 40);
    for (const [index, { live }] of many.profiles.entries()) await queue(live, `profile-${index}`, 15);
    await queue(few.key, 'few', 10);

    await round();

    await expect.poll(() => hanging.received.length).toBe(50);
    const leases = await world.sql(
      `select split_part(url, '/hook/', 2) as of, count(*)::int as leases from webhooks where lease is not null group by 1 order by 1`,
    );
    expect(leases).toEqual([
      { of: 'few', leases: 10 },
      { of: 'own', leases: 10 },
      { of: 'profile-0', leases: 10 },
      { of: 'profile-1', leases: 10 },
      { of: 'profile-2', leases: 10 },
    ]);
    hanging.answer(200);
    held.splice(0).forEach((letGo) => letGo());
    await world.context.deliveries.drained();
    await world.runDue();
  });
});
