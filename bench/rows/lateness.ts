/** lateness: the time from a post's scheduled time to its platform call, on an install without other work. */
import { setTimeout as wait } from 'node:timers/promises';
import { connectSandboxes, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { startOnPostgres } from '../processes.ts';
import { latenessFinding, type Row } from '../row.ts';

const POSTS = 300;

/** Period over which the posts become due, evenly. */
const SPAN_MS = 30_000;

/** Time to schedule them all before the first is due. */
const SCHEDULING_MS = 8_000;

/** Upper limit of the 99th percentile. */
const TARGET_MS = 1_000;

const LATENESS = `
  select extract(epoch from a.started_at - p.scheduled_for)::float8 * 1000 as late_ms
  from posts p join attempts a on a.post_id = p.id where p.status = 'sent' and p.scheduled_for is not null`;

export const lateness: Row = {
  name: 'lateness',
  run: async () => {
    await using database = await createDatabase();
    await using folder = await createFolder();
    await using install = await startOnPostgres(database.url, folder.path, 'all');
    const slugs = await connectSandboxes(install.origin, 1);
    const first = Date.now() + SCHEDULING_MS;
    const dueAt = (index: number) => new Date(first + Math.round((index * SPAN_MS) / POSTS));
    for (let index = 0; index < POSTS; index += 1) await publish(install.origin, slugs, dueAt(index));
    await wait(first + SPAN_MS + 2_000 - Date.now());
    const { rows } = await database.client.query<{ late_ms: number }>(LATENESS);
    if (rows.length !== POSTS) throw new Error(`${rows.length} of ${POSTS} posts were sent`);
    const lateMs = rows.map((row) => row.late_ms);
    return [latenessFinding('lateness', lateMs, TARGET_MS)];
  },
};
