/**
 * Machines whose clocks differ by minutes, on one PostgreSQL: no post goes out early or twice
 * (docs/decisions/0020-use-the-database-clock-on-postgresql.md).
 */
import { describe, expect, it } from 'vitest';
import { allSettled, eachOnce, schedule, tally } from './posts.ts';
import { ENGINE, freePort, newInstall } from './server-process.ts';
import { minutesAhead } from './skewed-clock.ts';

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
