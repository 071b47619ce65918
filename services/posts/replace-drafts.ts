/**
 * Deletes drafts whose place new posts take, in the transaction that stores the new posts. So a program that saves a
 * text again and again, or publishes what it has saved, leaves neither two drafts nor none.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import type { Queries } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { CheckedSlug } from './check-slugs.ts';
import type { PostRow } from './post-view.ts';
import { reach } from './reachable-posts.ts';
import { removeDrafts } from './remove-drafts.ts';
import { isStored, type StoredResult } from './store-and-send.ts';

type Draft = Pick<PostRow, 'connection_id' | 'connection_slug'>;

/**
 * Says which drafts the new posts replace: those of connections that have a new post, and those of connections that the
 * request does not name. Without any new post every draft stays, because it may be the only copy of its text.
 *
 * @param results what each slug has, in the order of the slugs
 */
export function replacedBy(slugs: readonly CheckedSlug[], results: readonly StoredResult[]): (draft: Draft) => boolean {
  const hasPost = results.map(isStored);
  const served = new Set(slugs.flatMap(({ target }, index) => (target !== null && hasPost[index] ? [target.id] : [])));
  const refused = slugs.filter((_slug, index) => !hasPost[index]);
  // A slug without a connection may be the earlier slug of the draft's connection.
  const isRefused = ({ connection_id: id, connection_slug: draftSlug }: Draft) =>
    refused.some(({ target, slug }) => (target === null ? slug === draftSlug : target.id === id));
  return (draft) => served.size > 0 && (served.has(draft.connection_id) || !isRefused(draft));
}

/**
 * Images stay: the new posts use them, and unused ones are freed after days, so that a person can still take one back.
 *
 * @param isReplaced whether a new post takes the place of a draft; the other drafts stay
 * @throws ServiceError not_found when one is no draft of the caller's any more; then nothing is stored
 */
export async function replaceDrafts(
  em: SqlEntityManager,
  caller: Caller,
  postIds: readonly string[],
  isReplaced: (draft: Draft) => boolean,
): Promise<void> {
  if (postIds.length === 0) return;
  const drafts = await findDrafts(em, caller, postIds, { isLocked: true });
  await removeDrafts(
    em,
    drafts.filter(isReplaced).map(({ id }) => id),
  );
}

/** @throws ServiceError not_found when one is no draft of the caller's any more */
export async function requireDrafts(queries: Queries, caller: Caller, postIds: readonly string[]): Promise<void> {
  if (postIds.length > 0) await findDrafts(queries, caller, postIds, { isLocked: false });
}

async function findDrafts(
  queries: Queries,
  caller: Caller,
  postIds: readonly string[],
  { isLocked }: { readonly isLocked: boolean },
) {
  const ids = [...new Set(postIds)];
  const posts = await tables(queries)
    .selectFrom('posts')
    .select(['id', 'status', 'connection_id', 'connection_slug'])
    .where('id', '=', anyOf(ids))
    .where((post) => post.and(reach(caller)))
    .orderBy('id')
    .$if(isLocked, (drafts) => drafts.forUpdate())
    .execute();
  for (const id of ids) {
    const status = posts.find((post) => post.id === id)?.status;
    if (status !== 'draft') throw noDraft(id, status);
  }
  return posts;
}

function noDraft(id: string, status: string | undefined): ServiceError {
  const why = status === undefined ? '' : `: the post is ${status}`;
  return new ServiceError(
    'not_found',
    `replaces: no draft of yours has the id ${id} any more${why}. Nothing was posted.`,
  );
}
