/** When the next read of metrics is due. */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

/** Up to this many due instants in an hour, each instant gets its own run. */
const FEW = 12;

/** With more instants, reads that fall due within this time are grouped, which saves calls. */
const GATHER_MS = 5 * 60_000;

/** How many due reads are examined; many of them may be due at one instant. */
const LOOK_AT = 500;

const findNext = statement('find the next read of metrics', {
  result: { at: 'timestamptz?', busy: 'boolean' },
  sql: () => `
    with coming as (
      select next_read_at from posts where next_read_at is not null order by next_read_at limit ${LOOK_AT}
    ), first as (select min(next_read_at) as at from coming)
    select first.at, (select count(distinct c.next_read_at) from coming c
      where c.next_read_at < first.at + interval '1 hour') > ${FEW} as busy
    from first`,
});

/** Null when no post is to be read. */
export async function nextReadDue(context: Context): Promise<Date | null> {
  const [row] = await findNext(context.db.em());
  if (row?.at == null) return null;
  const at = new Date(row.at).getTime();
  return new Date(row.busy ? Math.ceil(at / GATHER_MS) * GATHER_MS : at);
}
