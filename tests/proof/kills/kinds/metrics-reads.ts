/** Reads of metrics, hour after hour, of posts on the sandbox, Mastodon and Bluesky. */
import { setTimeout as wait } from 'node:timers/promises';
import { startFakeBluesky } from '../../../platforms/fakes/fake-bluesky.ts';
import { startFakeMastodon } from '../../../platforms/fakes/fake-mastodon.ts';
import { brokenRules, type CaseInstall, type Kind } from '../kill-case.ts';
import { createKillSwitch } from '../kill-switch.ts';

const POSTS_EACH = 4;

/** One read an hour falls due. */
const PASSED_MINUTES = 61;

const PASSWORD = 'abcd-efgh-ijkl-mnop';

export const metricsReads: Kind = {
  name: 'metrics reads',
  run: async (kills, tools) => {
    const { sampler } = tools;
    const switched = createKillSwitch({
      nameOf: ({ method, path }) => (method === 'GET' && /statuses|getPosts/.test(path) ? 'read' : null),
      slowestMs: 30,
      sampler: tools.noise,
    });
    const options = { now: () => new Date(), tap: switched.tap };
    const [mastodon, bluesky] = [await startFakeMastodon(options), await startFakeBluesky(options)];
    for (const fake of [mastodon, bluesky]) tools.defer(() => fake.close());
    mastodon.addAccount('alice', 'token-of-alice');
    bluesky.addAccount('alice.test', PASSWORD);
    const install = await tools.createInstall({
      template: tools.migrated,
      settings: { BLUESKY_SERVICE_URL: bluesky.url, BLUESKY_PLC_URL: bluesky.url, BLUESKY_APPVIEW_URL: bluesky.url },
    });
    let server = await install.start();
    for (const [platformId, credentials] of [
      ['mastodon', { instanceUrl: mastodon.url, accessToken: 'token-of-alice' }],
      ['bluesky', { identifier: 'alice.test', appPassword: PASSWORD }],
    ] as const) {
      await server.rest('POST /connections', { body: { platformId, credentials, slug: platformId } });
    }
    for (let index = 0; index < POSTS_EACH; index += 1) {
      const body = { text: `post ${index}`, connectionSlugs: ['sandbox', 'mastodon', 'bluesky'] };
      const { results } = (await server.rest('POST /posts', { body })).body;
      if (results.some(({ status }: { status: string }) => status !== 'sent')) throw new Error('a post was not sent');
    }
    for (const [index, { id }] of mastodon.posts().entries())
      mastodon.numbers.set(id, { favourites_count: 10 + index, reblogs_count: index, replies_count: 1 });
    for (const [index, { uri }] of bluesky.posts().entries())
      bluesky.numbers.set(uri, { likeCount: 20 + index, repostCount: index, replyCount: 2, quoteCount: 0 });
    let hours = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      await server.kill9();
      await install.passMinutes(PASSED_MINUTES);
      hours += 1;
      const moment = sampler.weighted({ arrived: 28, decided: 28, answered: 29, time: 15 });
      const plan = { moment, nth: sampler.int(1, 2), delayMs: sampler.int(0, moment === 'time' ? 400 : 15) };
      const launched = await install.launchAgain();
      tools.killedAt(await switched.kill(launched.server, plan, launched.ready));
      server = await install.startAgain();
    }
    await server.kill9();
    const missing = await finish(install, hours);
    if (missing > 0) tools.violation(`${missing} posts have no read of hour ${hours}`);
    for (const { rule, subject } of await brokenRules(install)) tools.violation(`${rule}: ${subject}`);
    const broken = await install.sql<{ rule: string; subject: string }>(SUMS);
    for (const { rule, subject } of broken) tools.violation(`${rule}: ${subject}`);
  },
};

/** A read that was interrupted is repeated after the lease of a quarter of an hour. */
const LEASE_MINUTES = 16;
const ROUND_MS = 3_000;
const ROUNDS_MAX = 6;

/** Lets the last reads be made. @returns how many posts have no read of this hour */
async function finish(install: CaseInstall, hour: number): Promise<number> {
  for (let round = 1; ; round += 1) {
    await install.passMinutes(LEASE_MINUTES);
    const server = await install.startAgain();
    await wait(ROUND_MS);
    await server.stop();
    const [row] = await install.sql<{ missing: number }>(`
      select count(*)::int as missing from posts p
      where coalesce((select max(r.number) from metrics_reads r where r.post_id = p.id), 0) < ${hour}`);
    if (row?.missing === 0 || round === ROUNDS_MAX) return row?.missing ?? 0;
  }
}

const METRICS = ['likes', 'reposts', 'replies'] as const;

/** The daily metrics are the sums of the last reads, and each read of a new day has one event. */
const SUMS = `
  with last as (
    select distinct on (r.post_id) r.* from metrics_reads r order by r.post_id, r.number desc
  ), totals as (
    select count(*) as read_posts, ${METRICS.map((name) => `coalesce(sum(${name}), 0) as ${name}`).join(', ')} from last
  ), daily as (
    select coalesce(sum(read_posts), 0) as read_posts,
      ${METRICS.map((name) => `coalesce(sum(${name}), 0) as ${name}`).join(', ')} from daily_numbers where scope = 'account'
  )
  select 'the daily metrics are not the sums of the last reads' as rule, totals::text || ' and ' || daily::text as subject
  from totals, daily where (totals.*)::text <> (daily.*)::text
  union all
  select 'a post has more events than reads', p.id::text from posts p
  where (select count(*) from events e where e.subject_id = p.id and e.name = 'post.metrics')
    not between 1 and (select count(*) from metrics_reads r where r.post_id = p.id)`;
