/** Lets the next posts of a key or agent go out without asking, until a time (docs/contract/approvals.md#allowances). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { findKeyOrGrant } from '../access/find-key-or-grant.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import type { ApprovalRow } from './approval-view.ts';

/** Most posts of an allowance. */
export const ALLOWANCE_POSTS_MAX = 50;

/** Longest time of an allowance. */
const ALLOWANCE_MS = 24 * 3_600_000;

export interface AllowanceInput {
  /** 1 to {@link ALLOWANCE_POSTS_MAX}. */
  readonly posts: number;
  /** ISO instant, at most 24 hours ahead; in 24 hours when undefined. */
  readonly until?: string | undefined;
}

export interface Allowance {
  readonly posts: number;
  readonly endsAt: Date;
}

/** @throws ServiceError invalid_request for a time that has passed or is too far ahead */
export function readAllowance({ clock }: Context, input: AllowanceInput | undefined): Allowance | null {
  if (input === undefined) return null;
  const { posts, until } = input;
  const now = clock.now();
  const latest = new Date(now.getTime() + ALLOWANCE_MS);
  const endsAt = until === undefined ? latest : new Date(until);
  if (endsAt > now && endsAt <= latest) return { posts, endsAt };
  throw new ServiceError(
    'invalid_request',
    `next.until: ${endsAt.toISOString()} is not between now (${now.toISOString()}) and 24 hours from now.`,
  );
}

// A new allowance replaces the earlier one, so that the number that a person entered is the number that goes out.
const storeAllowance = statement('give an allowance', {
  parameters: {
    requester: 'uuid',
    accountId: 'uuid',
    posts: 'int',
    endsAt: 'timestamptz',
    kind: 'text',
    id: 'uuid',
    name: 'text',
  },
  sql: ({ requester, accountId, posts, endsAt, kind, id, name }) => `
    insert into approval_allowances (id, account_id, posts_left, ends_at, given_by_kind, given_by_id, given_by_name)
    values (${requester}, ${accountId}, ${posts}, ${endsAt}, ${kind}, ${id}, ${name})
    on conflict (id) do update set posts_left = excluded.posts_left, ends_at = excluded.ends_at,
      given_by_kind = excluded.given_by_kind, given_by_id = excluded.given_by_id, given_by_name = excluded.given_by_name`,
});

// A key or a grant asked.
const holdRequester = statement('keep the key or grant that asked from ending', {
  parameters: { requester: 'uuid' },
  result: { held: 'int' },
  sql: ({ requester }) => `
    with held_key as (select id from api_keys where id = ${requester} for share),
      held_grant as (select id from oauth_grants where id = ${requester} for share)
    select ((select count(*) from held_key) + (select count(*) from held_grant))::int as held`,
});

/**
 * Lock order: the key or grant, then its allowance, both before the account and the post. A request of that key locks them so
 * (permissionOf), and a revocation locks its key before it deletes the allowance.
 *
 * @throws ServiceError forbidden for a caller in test mode, when a key or agent in live mode asked: its next posts may be live
 */
export async function giveAllowance(
  em: SqlEntityManager,
  { requested_by_id: requester }: ApprovalRow,
  caller: Caller,
  { posts, endsAt }: Allowance,
): Promise<void> {
  await holdRequester(em, { requester });
  if (caller.mode === 'test' && (await findKeyOrGrant(em, caller, requester)) === null) throw liveRequester();
  await storeAllowance(em, { requester, accountId: caller.accountId, posts, endsAt, ...identityOf(caller) });
}

function liveRequester(): ServiceError {
  return new ServiceError(
    'forbidden',
    'next: the key or agent that asked is live, so its next posts may be live too, and a test key cannot let them go out. Leave out next, or use a live key.',
  );
}
