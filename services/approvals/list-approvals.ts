/** Lists requests for approval, oldest first, so that what waits longest is decided first. */
import { ownerOfList } from '../../entities/any-of.ts';
import type { ApprovalState } from '../../entities/approval.ts';
import { type Tables, tables } from '../../entities/tables.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { type CursorPage, type Page, pageOf } from '../paging.ts';
import { type ApprovalContent, approvalContentOf } from './approval-content.ts';
import { APPROVAL, type ApprovalView, approvalView } from './approval-view.ts';

export interface ListedApproval {
  id: string;
  postId: string;
  connectionSlug: string;
  platformId: string;
  profileId: string | null;
  approval: ApprovalView;
  /** What goes out, or was to go out. */
  content: ApprovalContent;
  /** What the request before this one for the same post was about; null for the first. */
  previousContent: ApprovalContent | null;
}

export interface ApprovalPage extends CursorPage {
  readonly state: ApprovalState;
}

export async function listApprovals(
  { db }: Context,
  caller: Caller,
  { state, limit, cursor }: ApprovalPage,
): Promise<Page<ListedApproval>> {
  const { accountId, profileId, mode } = caller;
  const rows = await tables(db.queries)
    .selectFrom('approvals as a')
    .innerJoin('posts as p', 'p.id', 'a.post_id')
    .select(APPROVAL.list.map((name) => `a.${name}` as const))
    .select(['a.post_id', 'a.content', 'p.connection_slug', 'p.platform_id', 'p.profile_id'])
    .select(({ selectFrom }) =>
      selectFrom('approvals as b')
        .select('b.content')
        .whereRef('b.post_id', '=', 'a.post_id')
        .whereRef('b.id', '<', 'a.id')
        .orderBy('b.id', 'desc')
        .limit(1)
        .as('previous'),
    )
    .where('a.account_id', '=', ownerOfList(accountId))
    .where('a.state', '=', state)
    .$if(profileId !== null, (query) => query.where('p.profile_id', '=', profileId))
    .$if(mode === 'test', (query) => query.where('p.platform_id', '=', TEST_PLATFORM))
    .$if(cursor !== undefined, (query) => query.where('a.id', '>', cursor as string))
    .orderBy('a.account_id')
    .orderBy('a.id')
    .limit(limit + 1)
    .execute();
  const { items, nextCursor } = pageOf(rows, limit);
  return { items: items.map(listed), nextCursor };
}

type ListedRow = Parameters<typeof approvalView>[0] &
  Pick<Tables['approvals'], 'post_id' | 'content'> &
  Pick<Tables['posts'], 'connection_slug' | 'platform_id' | 'profile_id'> & {
    readonly previous: Tables['approvals']['content'] | null;
  };

function listed(row: ListedRow): ListedApproval {
  return {
    id: row.id,
    postId: row.post_id,
    connectionSlug: row.connection_slug,
    platformId: row.platform_id,
    profileId: row.profile_id,
    approval: approvalView(row),
    content: approvalContentOf(row.content),
    previousContent: row.previous === null ? null : approvalContentOf(row.previous),
  };
}
