/** Processor time of processes and of a database's server processes, from /proc of this machine. */
import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Processor time since it started, in milliseconds; 0 where the system does not show it. */
export async function processCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the process is in brackets and may contain spaces.
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(utime ?? 0) + Number(stime ?? 0)) * MS_PER_TICK;
}

/** Processor time of the server's processes for each connection to the database, by process id. */
export async function databaseCpuMs(client: Client): Promise<ReadonlyMap<number, number>> {
  const sql = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  const { rows } = await client.query<{ pid: number }>(sql);
  return new Map(await Promise.all(rows.map(async ({ pid }) => [pid, await processCpuMs(pid)] as const)));
}

/** What a side used between two readings. A connection that was opened meanwhile counts as a whole. */
export function cpuBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + Math.max(ms - (before.get(pid) ?? 0), 0), 0);
}
