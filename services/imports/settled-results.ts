/**
 * Completes the results of rows whose process died while their post was being sent. Recovery settles the post and does not
 * know the row, so the result is taken from the post when it is read.
 */
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { storedResult } from '../posts/post-result.ts';
import { POST } from '../posts/post-view.ts';
import type { RowResult, RowView } from './import-view.ts';

export async function withSettledResults(
  { db }: Context,
  { accountId }: Caller,
  rows: readonly RowView[],
): Promise<RowView[]> {
  const ids = rows.flatMap(({ results }) => results.filter(isBeingSent).flatMap(({ postId }) => postId ?? []));
  if (ids.length === 0) return [...rows];
  const posts = await tables(db.queries)
    .selectFrom('posts')
    .select(POST.list)
    .where('account_id', '=', accountId)
    .where('id', '=', anyOf(ids))
    .execute();
  const settled = new Map(posts.map((post) => [post.id, storedResult(post)]));
  const completed = (result: RowResult): RowResult => {
    const found = isBeingSent(result) && result.postId !== null ? settled.get(result.postId) : null;
    if (found === null || found === undefined) return result;
    const { status, scheduledFor, error } = found;
    return { ...result, status, scheduledFor, error };
  };
  return rows.map((row) => ({ ...row, results: row.results.map(completed) }));
}

function isBeingSent({ status }: RowResult): boolean {
  return status === 'processing';
}
