/** How often a post was tried. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

const COUNT = `select count(*)::int as tries from attempts where post_id = $1 and step = 'head'`;

/** Times that sending the post itself was begun, retries included; from 0. */
export async function countTries(context: Context, postId: string): Promise<number> {
  const [row] = await query<{ tries: number }>(context.db.em(), COUNT, [postId]);
  return row?.tries ?? 0;
}
