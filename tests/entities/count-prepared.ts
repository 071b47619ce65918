/**
 * Prints how many statements a connection to the database has prepared after one statement has run twenty times. It is a
 * separate process, because the number of statements that a process prepares is limited: `node count-prepared.ts <url>`.
 */
import { CompiledQuery } from 'kysely';
import { openPostgres } from '../../entities/orm.ts';

const db = await openPostgres(process.argv[2] ?? '', { poolSize: 1 });
const kysely = db.em().getKysely();
for (let run = 0; run < 20; run += 1) {
  const { rows } = await kysely.executeQuery<{ sum: number }>(CompiledQuery.raw('select $1::int + 1 as sum', [run]));
  if (rows[0]?.sum !== run + 1) throw new Error(`run ${run} answered ${JSON.stringify(rows)}`);
}
const answer = await kysely.executeQuery<{ count: number }>(
  CompiledQuery.raw('select count(*)::int as count from pg_prepared_statements'),
);
console.log(answer.rows[0]?.count);
await db.close();
