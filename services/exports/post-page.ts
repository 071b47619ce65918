/** A page of the posts of an export, with the ids of their images. */
import { anyOf, ownerOfList } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { approvalsOf, type ApprovalView } from '../approvals/approval-view.ts';
import { controlsOf, NO_CONTROL } from '../posts/control-of.ts';
import { reachInAccount } from '../posts/reachable-posts.ts';
import { POST, type PostRow, postView } from '../posts/post-view.ts';
import { timestampOrNull } from '../timestamp.ts';
import { exportPage, type ReadPage } from './export-page.ts';

export const postPage: ReadPage = async (context, caller, { after, until, limit }) => {
  const { db } = context;
  const posts = await tables(db.queries)
    .selectFrom('posts')
    .select(POST.list)
    .where('account_id', '=', ownerOfList(caller.accountId))
    .where((post) => post.and(reachInAccount(caller)))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .where('id', '<=', until)
    .orderBy('account_id')
    .orderBy('id')
    .limit(limit)
    .execute();
  const used = await tables(db.queries)
    .selectFrom('post_media')
    .select(['post_id', 'media_id', 'alt_text'])
    .where('post_id', '=', anyOf(posts.map(({ id }) => id)))
    .orderBy('post_id')
    .orderBy('position')
    .execute();
  const approvals = await approvalsOf(db.queries, posts);
  const controls = await controlsOf(
    context,
    posts.map(({ id }) => id),
  );
  const images = Map.groupBy(used, (image) => image.post_id);
  return exportPage(posts, limit, (post) => {
    const media = (images.get(post.id) ?? []).map(({ media_id: id, alt_text: altText }) => ({ id, altText }));
    const { createdBy } = controls.get(post.id) ?? NO_CONTROL;
    return { ...wholePost(post, approvals), createdBy, media };
  });
};

function wholePost(row: PostRow, approvals: ReadonlyMap<string, ApprovalView>) {
  return {
    ...postView(row, approvals),
    connectionId: row.connection_id,
    platformId: row.platform_id,
    mode: row.mode,
    sentAt: timestampOrNull(row.sent_at),
    thread: row.thread,
    firstComment: row.first_comment,
    threadCount: row.thread_count,
    hasFirstComment: row.has_first_comment,
    tries: row.tries,
  };
}
