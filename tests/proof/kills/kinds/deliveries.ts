/** Deliveries to two webhooks, of posts that are sent and deleted. */
import { setTimeout as wait } from 'node:timers/promises';
import { startWire, type WireCall, type WireTap } from '../../../platforms/fakes/wire.ts';
import type { ServerProcess } from '../../../crash/install.ts';
import { pseudoRandom } from '../../../simulation/sampler.ts';
import { brokenRules, type CaseInstall, type CaseTools, type Kind } from '../kill-case.ts';
import { createKillSwitch, type KillSwitch } from '../kill-switch.ts';

const POSTS = 8;
const PATHS = ['/first', '/second'] as const;

/** Share of the events whose first attempt is answered 500. */
const REFUSED = 0.1;

interface Received {
  readonly path: string;
  readonly eventId: string;
  readonly name: string;
  readonly postId: string;
  readonly body: string;
}

export const deliveries: Kind = {
  name: 'deliveries',
  run: async (kills, tools) => {
    const { sampler } = tools;
    const received: Received[] = [];
    const switched = createKillSwitch({ nameOf: () => 'delivery', slowestMs: 40, sampler: tools.noise });
    const tap: WireTap = (moment, call) => {
      if (moment === 'arrived') received.push(readEvent(call));
      return switched.tap(moment, call);
    };
    const receiver = await startWire({ now: () => new Date(), tap }, (call) => {
      const { eventId, path } = readEvent(call);
      const isFirst = received.filter((one) => one.eventId === eventId && one.path === path).length === 1;
      return { status: isFirst && pseudoRandom(eventId, path) < REFUSED ? 500 : 204, text: '' };
    });
    tools.defer(() => receiver.close());
    const install = await tools.createInstall({ template: tools.migrated });
    let server = await install.start();
    for (const path of PATHS) {
      const { status } = await server.rest('POST /webhooks', {
        body: { url: `${receiver.url}${path}`, events: ['post.sent', 'post.failed', 'post.deleted'] },
      });
      if (status !== 200) throw new Error(`the webhook was answered ${status}`);
    }
    for (let kill = 0; kill < kills; kill += 1) {
      // Right after an answer its events are fanned out.
      const moment = sampler.weighted({ arrived: 25, decided: 25, answered: 25, response: 18, time: 7 });
      const nth = sampler.int(1, moment === 'response' ? 6 : 14);
      const longest = { arrived: 5, decided: 5, answered: 20, response: 60, time: 1_200 }[moment];
      const delayMs = sampler.int(0, longest);
      const killed = switched.kill(server, { moment, nth, delayMs });
      const traffic = startTraffic(server, switched, tools, kill);
      tools.killedAt(await killed);
      await traffic;
      await install.passMinutes(2);
      server = await install.startAgain();
    }
    await server.kill9();
    const open = await finish(install);
    if (open > 0) tools.violation(`${open} events and deliveries are open at the end`);
    for (const { rule, subject } of await brokenRules(install)) tools.violation(`${rule}: ${subject}`);
    const events = await install.sql<{ id: string; name: string }>(
      `select subject_id::text as id, name from events where name in ('post.sent', 'post.failed', 'post.deleted') order by id`,
    );
    compare(events, received, tools);
  },
};

function readEvent({ path, json, bytes }: WireCall): Received {
  const { eventId, event, post } = json as { eventId: string; event: string; post: { id: string } };
  return { path, eventId, name: event, postId: post.id, body: bytes.toString() };
}

async function startTraffic(
  server: ServerProcess,
  switched: KillSwitch,
  { sampler }: CaseTools,
  kill: number,
): Promise<void> {
  const texts = Array.from({ length: POSTS }, (_, index) => ({
    text: `post ${kill}-${index}${sampler.chance(0.1) ? ' [[reject]]' : ''}`,
    isDeleted: sampler.chance(0.5),
  }));
  await Promise.all(
    texts.map(async ({ text, isDeleted }) => {
      const body = { text, connectionSlugs: ['sandbox'] };
      const { results } = (await switched.request(server.rest('POST /posts', { body }))).body;
      if (isDeleted && results[0].status === 'sent')
        await switched.request(server.rest(`DELETE /posts/${results[0].postId}`));
    }),
  ).catch(() => undefined);
}

/** A refused attempt is repeated after a minute, and once more after five. */
const RETRY_MINUTES = 6;
const ROUND_MS = 3_000;
const ROUNDS_MAX = 6;

/** Lets what is left be delivered. @returns how many events and deliveries are open */
async function finish(install: CaseInstall): Promise<number> {
  for (let round = 1; ; round += 1) {
    await install.passMinutes(RETRY_MINUTES);
    const server = await install.startAgain();
    await wait(ROUND_MS);
    await server.stop();
    const [row] = await install.sql<{ open: number }>(`
      select (select count(*) from events where fanned_out_at is null)::int
        + (select count(*) from deliveries where status in ('pending', 'processing'))::int as open`);
    if (row?.open === 0 || round === ROUNDS_MAX) return row?.open ?? 0;
  }
}

function compare(
  events: readonly { id: string; name: string }[],
  received: readonly Received[],
  tools: CaseTools,
): void {
  for (const { name } of events) tools.count(name);
  for (const path of PATHS) {
    const mine = received.filter((one) => one.path === path);
    for (const { id, name } of events) {
      const ids = new Set(mine.filter((one) => one.postId === id && one.name === name).map(({ eventId }) => eventId));
      if (ids.size !== 1) tools.violation(`${name} of post ${id} arrived at ${path} under ${ids.size} ids`);
    }
    for (const one of mine) {
      if (!events.some(({ id, name }) => id === one.postId && name === one.name))
        tools.violation(`${one.name} of post ${one.postId} arrived at ${path}, and there is no such event`);
    }
    for (const [eventId, same] of Map.groupBy(mine, (one) => one.eventId)) {
      if (new Set(same.map(({ body }) => body)).size > 1)
        tools.violation(`${eventId} arrived at ${path} with different bodies`);
      if (same.length > 1) tools.count('deliveries repeated');
    }
    for (const [postId, same] of Map.groupBy(mine, (one) => one.postId)) {
      const names = [...new Set(same.map(({ name }) => name))];
      if (names.indexOf('post.deleted') === 0 && names.length > 1)
        tools.violation(`post.deleted of post ${postId} arrived at ${path} before post.sent`);
    }
  }
}
