/**
 * Machines whose clocks differ by minutes or are set during a run: no post goes out early, late or twice
 * (docs/decisions/0020-use-the-database-clock-on-postgresql.md).
 */
import { describe, expect, it } from 'vitest';
import { allSettled } from './all-settled.ts';
import { eachOnce, schedule, tally } from './posts.ts';
import { ENGINE, freePort, newInstall } from './server-process.ts';
import { minutesAhead, stepsOnSignal } from './skewed-clock.ts';
import { waitUntil } from './wait-until.ts';

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('two workers, one ten minutes ahead and one ten minutes behind, send each post once and none before its time', async () => {
    const install = await newInstall();
    const web = await install.start({ ROLE: 'web' });
    for (const minutes of [10, -10]) {
      await install.start({
        ROLE: 'worker',
        PORT: String(await freePort()),
        NODE_OPTIONS: minutesAhead(minutes),
      });
    }
    const due = new Date(Date.now() + 4_000);
    await schedule(
      web,
      Array.from({ length: 40 }, (_, index) => `post ${index} [[slow 300]]`),
      due,
    );

    await allSettled(web);

    expect(await tally(install)).toEqual(eachOnce(40));
    const [begun] = await install.sql<{ early: number; late: number }>(
      `select count(*) filter (where a.started_at < p.scheduled_for)::int as early,
         count(*) filter (where a.started_at > p.scheduled_for + interval '3 seconds')::int as late
       from attempts a join posts p on p.id = a.post_id`,
    );
    expect(begun).toEqual({ early: 0, late: 0 });
  });

  it('a worker whose clock is set forward and back by an hour sends each post once and on time', async () => {
    const install = await newInstall();
    const server = await install.start({ NODE_OPTIONS: stepsOnSignal(60, -120) });
    for (let step = 0; step < 2; step += 1) {
      const due = new Date(Date.now() + 3_000);
      const texts = Array.from({ length: 10 }, (_, index) => `post ${step} ${index} [[slow 1500]]`);
      await schedule(server, texts, due);
      await waitUntil('the posts are being sent', () => Date.now() > due.getTime() + 500);
      server.child.kill('SIGUSR2');
    }

    await allSettled(server);

    expect(await tally(install)).toEqual(eachOnce(20));
    const [begun] = await install.sql<{ early: number; late: number }>(
      `select count(*) filter (where a.started_at < p.scheduled_for)::int as early,
         count(*) filter (where a.started_at > p.scheduled_for + interval '3 seconds')::int as late
       from attempts a join posts p on p.id = a.post_id`,
    );
    expect(begun).toEqual({ early: 0, late: 0 });
  });

  it('a web process ten minutes ahead accepts times by the shared clock', async () => {
    const install = await newInstall();
    const web = await install.start({ ROLE: 'web', NODE_OPTIONS: minutesAhead(10) });
    const { body: listed } = await web.rest('GET /connections');
    const connectionSlugs = [listed.connections[0].slug];
    const scheduledFor = new Date(Date.now() + 60_000).toISOString();

    const { status, body } = await web.rest('POST /posts', { body: { text: 'Soon', connectionSlugs, scheduledFor } });

    expect([status, body.results?.[0]]).toMatchObject([200, { status: 'scheduled', scheduledFor }]);
  });
});

describe.runIf(ENGINE === 'pglite')('on the embedded database, which follows the clock of its machine', () => {
  it('a clock that is set forward by an hour during a send does not make it twice', async () => {
    const install = await newInstall();
    const server = await install.start({ NODE_OPTIONS: stepsOnSignal(60) });
    const due = new Date(Date.now() + 2_000);
    await schedule(server, ['one [[slow 6500]]', 'two [[slow 6500]]'], due);
    await waitUntil('the posts are being sent', async () => {
      const { body } = await server.rest('GET /posts?status=processing');
      return body.posts.length === 2;
    });

    server.child.kill('SIGUSR2');

    await allSettled(server);
    await server.stop();
    expect(await tally(install)).toEqual(eachOnce(2));
  });
});
