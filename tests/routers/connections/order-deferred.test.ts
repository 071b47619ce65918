/** The order of queued posts whose places fall on one instant (docs/contract/scheduling.md#order-of-a-queue). */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { eventsAbout, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEXTS = ['First', 'Second', 'Third'];

const everyDayAt = (...times: string[]) =>
  times.flatMap((time) => [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time })));

/** Three posts of a queue; the plan has deferred those that were due before 12:00 to 00:00 UTC of the next day. */
async function deferred(...slots: string[]) {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  await world.sql(`update accounts set plan = 'free' where id = $1`, [accountId]);
  const day = Math.ceil(world.clock.now().getTime() / DAY_MS) * DAY_MS;
  world.clock.set(new Date(day));
  await world.rest(`PATCH /connections/${connection.id}/queue`, {
    key,
    body: { slots: everyDayAt(...slots) },
  });
  const ids: string[] = [];
  for (const text of TEXTS) {
    const body = { text, connectionSlugs: ['sandbox'], queue: true };
    ids.push((await world.rest('POST /posts', { key, body })).body.results[0].postId);
  }
  // The posts that the plan allows in that day.
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text,
       tags, thread, created_at, sent_at)
     select gen_random_uuid(), $1, $2, 'sandbox', 'sandbox', 'live', 'sent', 'Before', 'Before', '{}', '{}', $3, $3
     from generate_series(1, 100)`,
    [accountId, connection.id, world.clock.now()],
  );
  for (const hour of [9, 10, 11]) {
    world.clock.set(new Date(day + hour * HOUR_MS));
    await world.runDue();
  }
  const midnight = day + DAY_MS;
  const order = (...places: number[]) =>
    world.rest(`PUT /connections/${connection.id}/queue/order`, {
      key,
      body: { postIds: places.map((place) => ids[place]) },
    });
  /** The texts of the queue, with the milliseconds after midnight at which they go out. */
  const shown = ({ body }: Awaited<ReturnType<typeof order>>) =>
    body.queue.map(({ text, scheduledFor }: { text: string; scheduledFor: string }) => [
      text,
      Date.parse(scheduledFor) - midnight,
    ]);
  const requeued = async (place: number) =>
    (await eventsAbout(world, ids[place] ?? '')).filter(({ payload }) => JSON.stringify(payload).includes('requeued'));
  return {
    midnight,
    order,
    shown,
    requeued,
    sent: async () => (await sandboxOf(world, connection.id)).map(({ text }) => text),
  };
}

it('is the one that was asked for, and they go out in it', async () => {
  const { midnight, order, shown, sent } = await deferred('09:00', '10:00', '11:00');

  const answer = await order(2, 1, 0);

  expect([answer.status, shown(answer)]).toEqual([
    200,
    [
      ['Third', 0],
      ['Second', 1],
      ['First', 2],
    ],
  ]);
  world.clock.set(new Date(midnight));
  for (let ms = 0; ms < 3; ms += 1) {
    await world.runDue();
    world.clock.advance(1);
  }
  expect(await sent()).toEqual(['Third', 'Second', 'First']);
});

it('keeps the times of posts that go out in it already, and is the same when it is asked for again', async () => {
  const { order, shown, requeued } = await deferred('09:00', '10:00', '11:00');
  const unchanged = await order(0, 1, 2);
  expect(shown(unchanged)).toEqual(TEXTS.map((text) => [text, 0]));
  expect(await requeued(0)).toEqual([]);

  const [once, again] = [await order(1, 0), await order(1, 0)];

  const changed = [
    ['Second', 0],
    ['Third', 0],
    ['First', 1],
  ];
  expect([shown(once), shown(again)]).toEqual([changed, changed]);
  const events = await Promise.all([0, 1, 2].map(requeued));
  expect(events.map(({ length }) => length)).toEqual([1, 0, 0]);
});

it('leaves a post that has the slot of that instant in it', async () => {
  const { order, shown, requeued } = await deferred('09:00', '10:00', '00:00');

  const answer = await order(2, 1, 0);

  expect(shown(answer)).toEqual([
    ['Third', 0],
    ['Second', 1],
    ['First', 2],
  ]);
  expect(await requeued(2)).toEqual([]);
});
