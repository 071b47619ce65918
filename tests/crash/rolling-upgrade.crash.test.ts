/**
 * An upgrade one process after the other, and back: two versions serve one PostgreSQL database at the same time
 * (docs/decisions/0087-run-two-versions-on-one-schema.md).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startReceiver } from '../harness/receiver.ts';
import { SANDBOX } from './posts.ts';
import { checkOut, previousCommit } from './previous-version.ts';
import { ENGINE, freePort, type Install, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** Time between two rounds of requests. */
const ROUND_MS = 100;

/** More slots in thirty days than this test queues posts. */
const QUEUE_TIMES = ['03:30', '09:30', '15:30', '21:30'];

interface Traffic {
  /** Lets requests reach only these processes, once it resolves. */
  reach(...servers: ServerProcess[]): Promise<unknown>;
  /** Waits until this many more rounds are over. */
  rounds(count: number): Promise<unknown>;
  /** Ends after the current round, and returns the answers that were not 200. */
  end(): Promise<unknown[]>;
}

/** Sends posts of every kind and reads them, round after round, to each process in turn. */
function startTraffic(first: ServerProcess): Traffic {
  let servers = [first];
  let round = 0;
  const ending = new AbortController();
  const refused: unknown[] = [];
  const call = async (server: ServerProcess, ...[path, options]: Parameters<ServerProcess['rest']>) => {
    const answer = await server.rest(path, options).catch((error: Error) => ({ status: 0, body: String(error.cause) }));
    const failed = (answer.body?.results ?? []).filter((result: { error: unknown }) => result.error !== null);
    if (answer.status !== 200 || failed.length > 0) refused.push({ path, ...answer, failed });
    return answer.body;
  };
  const running = (async () => {
    while (!ending.signal.aborted) {
      const server = servers[round % servers.length] ?? first;
      const post = (text: string, more: object = {}) =>
        call(server, 'POST /posts', { body: { text: `${text} ${round}`, connectionSlugs: [SANDBOX], ...more } });
      const soon = new Date(Date.now() + 6_000).toISOString();
      const [sent] = await Promise.all([
        post('now'),
        post('thread', { thread: ['a reply'] }),
        post('later', { scheduledFor: soon }),
        post('queued', { queue: true }),
        call(server, 'GET /posts?limit=5'),
        call(server, 'GET /analytics'),
      ]);
      const postId = sent?.results?.[0]?.postId;
      if (postId !== undefined) await call(server, `GET /posts/${postId}/metrics`);
      round += 1;
      await wait(ROUND_MS);
    }
  })();
  const rounds = (count: number) => {
    const until = round + count;
    return waitUntil('requests are answered', () => round >= until);
  };
  return {
    reach: (...reached) => {
      servers = reached;
      return rounds(1);
    },
    rounds,
    end: async () => {
      ending.abort();
      await running;
      return refused;
    },
  };
}

/** Lines that a healthy process does not log. `/readyz` answers 503 until its start has ended. */
function complaints(server: ServerProcess): unknown[] {
  const lines = server.log().filter(({ level, path }) => level !== 'info' && path !== '/readyz');
  return [...lines, ...server.stderr().split('\n').filter(Boolean)];
}

async function readable(install: Install): Promise<unknown> {
  const [row] = await install.sql(`select
    (select count(*)::int from posts where status not in ('sent', 'scheduled')) as failed,
    (select count(*)::int from posts where status = 'scheduled' and not queued) as unsent,
    (select count(*)::int from sandbox_posts where calls <> 1) as called_twice,
    (select count(*)::int from sandbox_posts) -
      (select count(*) + coalesce(sum(thread_count), 0) from posts where status = 'sent')::int as doubled,
    (select count(*)::int from attempts where state <> 'accepted') as unaccepted,
    (select count(*)::int from posts where status = 'sent') -
      (select count(*)::int from events where name = 'post.sent') as unannounced,
    (select count(*)::int from deliveries where status <> 'delivered') as undelivered`);
  return row;
}

const previous = previousCommit();

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('two versions share a database during an upgrade and a rollback: nothing is lost, doubled or refused', async (test) => {
    if ('missing' in previous) return test.skip(`not tested: ${previous.missing}`);
    const tree = checkOut(previous.commit);
    // Earlier commits have an entry in TypeScript.
    const entry = `server/main.${existsSync(join(tree, 'server/main.js')) ? 'js' : 'ts'}`;
    const program = [process.execPath, join(tree, entry)];
    const install = await newInstall();
    const processes: ServerProcess[] = [];
    const start = async (given?: readonly string[]) => {
      const server = await install.start({ PORT: String(await freePort()) }, given);
      processes.push(server);
      return server;
    };
    const old = await start(program);
    const receiver = await startReceiver();
    const { body: listed } = await old.rest('GET /connections');
    const [{ id }] = listed.connections;
    const slots = QUEUE_TIMES.flatMap((time) => Array.from({ length: 7 }, (_, weekday) => ({ weekday, time })));
    expect((await old.rest(`PATCH /connections/${id}/queue`, { body: { slots } })).status).toBe(200);
    await old.rest('POST /webhooks', { body: { url: receiver.url, events: ['post.sent', 'post.failed'] } });
    const traffic = startTraffic(old);
    await traffic.rounds(3);

    const current = await start();
    await traffic.reach(old, current);
    await traffic.rounds(10);
    await traffic.reach(old);
    await current.stop();
    await traffic.rounds(3);
    const [again, rolledBack] = await Promise.all([start(), start(program)]);
    await traffic.reach(again, rolledBack);
    await old.stop();
    await install.sql(`update posts set next_read_at = now() where status = 'sent' and next_read_at is not null`);
    await traffic.rounds(10);

    expect(await traffic.end()).toEqual([]);
    await waitUntil('all is sent, announced and read', async () => {
      const [open] = await install.sql<{ open: number }>(`select
        (select count(*) from posts where status = 'processing' or (status = 'scheduled' and not queued))::int +
        (select count(*) from events where fanned_out_at is null)::int +
        (select count(*) from deliveries where status <> 'delivered')::int +
        (select count(*) from posts where next_read_at <= now())::int as open`);
      return open?.open === 0;
    });
    expect(await readable(install)).toEqual({
      failed: 0,
      unsent: 0,
      called_twice: 0,
      doubled: 0,
      unaccepted: 0,
      unannounced: 0,
      undelivered: 0,
    });
    const announced = receiver.received.map(({ body }) => body.eventId as string);
    const [{ sent } = { sent: 0 }] = await install.sql<{ sent: number }>(
      `select count(*)::int as sent from posts where status = 'sent'`,
    );
    expect([announced.length, new Set(announced).size]).toEqual([sent, sent]);
    expect(processes.flatMap(complaints)).toEqual([]);
  });
});
