/** Replaces the tags of a post in any status. Tags are labels of the caller's: nothing is sent to a platform. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { lockPost, noPost } from './lock-post.ts';
import { POST, type PostView, viewPost } from './post-view.ts';

const replaceTags = statement('replace the tags of a post', {
  parameters: { postId: 'uuid', tags: 'text[]' },
  result: POST.types,
  sql: ({ postId, tags }) => `
    with retagged as (
      update posts set tags = ${tags} where id = ${postId} returning ${POST.sql}
    ), untagged as (
      delete from post_tags t using retagged r where t.post_id = r.id and t.tag <> all (r.tags)
    ), tagged as (
      insert into post_tags (post_id, tag, account_id)
      select r.id, t.tag, r.account_id from retagged r cross join lateral unnest(r.tags) as t(tag)
      on conflict do nothing
    )
    select * from retagged`,
});

/**
 * @param tags without repeats; empty removes all
 * @throws ServiceError not_found for an unknown or foreign post
 */
export async function setTags(
  context: Context,
  caller: Caller,
  postId: string,
  tags: readonly string[],
): Promise<PostView> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    await lockPost(em, caller, postId);
    const [row] = await replaceTags(em, { postId, tags: [...tags] });
    if (row === undefined) throw noPost(postId);
    return viewPost(em, row);
  });
}
