/**
 * Stores requests for approval, in the transaction that stores or changes the posts. A caller who has to ask may have an
 * allowance: posts within it go out at once, and the request is stored as approved by the person who gave it.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Queries, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { type Identity, identityOf } from '../access/identity.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Cause } from '../policies/policy-check.ts';
import type { ApprovalContent } from './approval-content.ts';
import { approvalEvent } from './approval-event.ts';
import { APPROVAL, type ApprovalView, approvalView } from './approval-view.ts';

/** Whether posts of the caller go out: at once, or when a person has approved them. */
export type Permission =
  | { readonly kind: 'free' }
  | { readonly kind: 'allowed'; readonly by: Identity }
  | {
      readonly kind: 'asks';
      /** The rule of a policy that asks; null for the rule of the key or grant. */
      readonly cause: string | null;
    };

/** The permission for what needs no approval. */
export const FREE = { kind: 'free' } as const satisfies Permission;

/** One post to approve. */
export interface ApprovalRequest {
  /** Id of the new approval. */
  readonly id: string;
  readonly postId: string;
  readonly profileId: string | null;
  readonly connectionSlug: string;
  readonly mode: 'live' | 'test';
  /** The instant it is to go out; null for now, or for a slot. */
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
  readonly content: ApprovalContent;
}

const DAY_MS = 86_400_000;

/** Whose allowance covers posts: {@link takeAllowance} takes them from it, {@link findAllowance} only reads it. */
const allowanceStatement = (name: string, sqlOf: (condition: string, posts: string) => string) =>
  statement(name, {
    parameters: { requester: 'uuid', accountId: 'uuid', posts: 'int', now: 'timestamptz' },
    result: { given_by_kind: 'text', given_by_id: 'uuid', given_by_name: 'text' },
    sql: ({ requester, accountId, posts, now }) =>
      sqlOf(`id = ${requester} and account_id = ${accountId} and ends_at > ${now} and posts_left >= ${posts}`, posts),
  });

const takeAllowance = allowanceStatement(
  'take posts from an allowance',
  (condition, posts) => `
    update approval_allowances set posts_left = posts_left - ${posts} where ${condition}
    returning given_by_kind, given_by_id, given_by_name`,
);

const findAllowance = allowanceStatement(
  'find an allowance for posts',
  (condition) => `select given_by_kind, given_by_id, given_by_name from approval_allowances where ${condition}`,
);

/**
 * Decides whether posts of the caller wait for approval. An allowance that does not suffice for all of them is left as it
 * is, so that one request is decided as a whole. Locks the key or grant of a caller who has to ask; call it before other
 * rows are locked.
 *
 * @param cause why its policy asks a person about one of them
 * @throws ServiceError unauthorized when the key or grant has just been revoked
 */
export async function permissionOf(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  posts: number,
  cause: Cause | null,
): Promise<Permission> {
  if (mayHaveToAsk(caller, cause)) await holdMaker(em, caller);
  return decide(context, em, takeAllowance, caller, posts, cause);
}

/** As {@link permissionOf}, for previews: it takes nothing from an allowance, and locks nothing. */
export function previewPermission(
  context: Context,
  caller: Caller,
  posts: number,
  cause: Cause | null,
): Promise<Permission> {
  return decide(context, context.db.queries, findAllowance, caller, posts, cause);
}

function mayHaveToAsk({ approval }: Caller, cause: Cause | null): boolean {
  return approval === 'required' || cause !== null;
}

async function decide(
  { clock }: Context,
  queries: Queries,
  allowance: typeof takeAllowance,
  caller: Caller,
  posts: number,
  cause: Cause | null,
): Promise<Permission> {
  if (!mayHaveToAsk(caller, cause)) return FREE;
  const asks = { kind: 'asks', cause: cause?.message ?? null } as const;
  if (posts === 0 || cause?.allowanceSuffices === false) return asks;
  const { accountId, keyId: requester } = caller;
  const [row] = await allowance(queries, { requester, accountId, posts, now: clock.now() });
  if (row === undefined) return asks;
  return {
    kind: 'allowed',
    by: { kind: row.given_by_kind as Identity['kind'], id: row.given_by_id, name: row.given_by_name },
  };
}

const returnPosts = statement('give posts back to an allowance', {
  parameters: { requester: 'uuid', accountId: 'uuid', posts: 'int' },
  sql: ({ requester, accountId, posts }) => `
    update approval_allowances set posts_left = posts_left + ${posts}
    where id = ${requester} and account_id = ${accountId}`,
});

/**
 * Gives posts that were refused back to the allowance, in the transaction that took them: their number decides whether
 * the request asks, before the plan and the queue are looked at.
 */
export async function returnAllowance(
  em: SqlEntityManager,
  { accountId, keyId: requester }: Caller,
  permission: Permission,
  posts: number,
): Promise<void> {
  if (permission.kind === 'allowed' && posts > 0) await returnPosts(em, { requester, accountId, posts });
}

/**
 * Stores the requests after their posts. Emits post.approval_requested for those that wait.
 *
 * @returns the approvals by the id of the post
 */
export async function storeApprovals(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  permission: Exclude<Permission, { kind: 'free' }>,
  requests: readonly ApprovalRequest[],
): Promise<Map<string, ApprovalView>> {
  if (requests.length === 0) return new Map();
  const now = context.clock.now();
  const asking = identityOf(caller);
  const decision =
    permission.kind === 'allowed'
      ? {
          state: 'approved' as const,
          decided_at: now,
          decided_by_kind: permission.by.kind,
          decided_by_id: permission.by.id,
          decided_by_name: permission.by.name,
          reason: 'Within an allowance.',
        }
      : { state: 'pending' as const, reason: permission.cause };
  const rows = await tables(em)
    .insertInto('approvals')
    .values(
      requests.map((request) => ({
        id: request.id,
        account_id: caller.accountId,
        profile_id: request.profileId,
        mode: request.mode,
        post_id: request.postId,
        scheduled_for: request.scheduledFor,
        queue: request.queue,
        content: JSON.stringify(request.content),
        requested_at: now,
        expires_at: new Date(now.getTime() + context.config.approvalDays * DAY_MS),
        requested_by_kind: asking.kind,
        requested_by_id: asking.id,
        requested_by_name: asking.name,
        ...decision,
      })),
    )
    .returning([...APPROVAL.list, 'post_id'])
    .execute();
  const views = new Map(rows.map((row) => [row.post_id, approvalView(row)]));
  if (permission.kind === 'asks') {
    const events = requests.map((request) =>
      approvalEvent(context, 'post.approval_requested', {
        ...request,
        accountId: caller.accountId,
        text: request.content.text,
        approval: views.get(request.postId) as ApprovalView,
      }),
    );
    await storeEvents(em, events);
  }
  return views;
}
