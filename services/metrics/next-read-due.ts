/** When the next read of numbers is due. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** Instants in an hour up to which the reads due at each are made then. */
const FEW = 12;

/** Where there are more, those that fall due within so long are gathered, so that they go in few calls. */
const GATHER_MS = 5 * 60_000;

/** Reads that are looked at to tell; many of them may be due at one instant. */
const LOOK_AT = 500;

const NEXT = `
  with coming as (
    select next_read_at from posts where next_read_at is not null order by next_read_at limit ${LOOK_AT}
  ), first as (select min(next_read_at) as at from coming)
  select first.at, (select count(distinct c.next_read_at) from coming c
    where c.next_read_at < first.at + interval '1 hour') > ${FEW} as busy
  from first`;

/** Null when no post is to be read. */
export async function nextReadDue(context: Context): Promise<Date | null> {
  const [row] = await query<{ at: string | null; busy: boolean }>(context.db.em(), NEXT);
  if (row?.at == null) return null;
  const at = new Date(row.at).getTime();
  return new Date(row.busy ? Math.ceil(at / GATHER_MS) * GATHER_MS : at);
}
