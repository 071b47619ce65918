/** A page of the metrics of an export: every stored read of some posts, post by post. */
import { anyOf, ownerOfList } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { reachInAccount } from '../posts/reachable-posts.ts';
import { timestamp } from '../timestamp.ts';
import type { ReadPage } from './export-page.ts';

/** Posts have up to 78 reads each. */
const POSTS_SHARE = 5;

export const metricsPage: ReadPage = async ({ db }, caller, { after, until, limit }) => {
  const most = Math.ceil(limit / POSTS_SHARE);
  const posts = await tables(db.queries)
    .selectFrom('posts')
    .select('id')
    .where('account_id', '=', ownerOfList(caller.accountId))
    .where((post) => post.and(reachInAccount(caller)))
    .where('sent_at', 'is not', null)
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .where('id', '<=', until)
    .orderBy('account_id')
    .orderBy('id')
    .limit(most)
    .execute();
  const reads = await tables(db.queries)
    .selectFrom('metrics_reads')
    .selectAll()
    .where('post_id', '=', anyOf(posts.map(({ id }) => id)))
    .orderBy('post_id')
    .orderBy('number')
    .execute();
  const rows = reads.map((read) => ({
    postId: read.post_id,
    fetchedAt: timestamp(read.fetched_at),
    impressions: numberOf(read.impressions),
    likes: numberOf(read.likes),
    reposts: numberOf(read.reposts),
    replies: numberOf(read.replies),
    clicks: numberOf(read.clicks),
  }));
  return { rows, next: posts.length < most ? null : (posts.at(-1)?.id ?? null) };
};

function numberOf(stored: string | null): number | null {
  return stored === null ? null : Number(stored);
}
