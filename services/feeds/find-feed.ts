/** The one place that defines which feeds a caller sees and manages: those of its account, profile and mode. */
import { LockMode, type FilterQuery } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Feed } from '../../entities/feed.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';

export function reachableFeeds(caller: Caller): FilterQuery<Feed> {
  return {
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { mode: 'test' } : {}),
  };
}

/** @throws ServiceError not_found for an unknown, deleted or foreign feed */
export async function findFeed(em: SqlEntityManager, caller: Caller, feedId: string): Promise<Feed> {
  return found(await em.findOne(Feed, { ...Object(reachableFeeds(caller)), id: feedId }), feedId);
}

/**
 * Locks a feed until the end of the transaction that changes it.
 *
 * @throws ServiceError not_found for an unknown, deleted or foreign feed
 */
export async function lockFeed(em: SqlEntityManager, caller: Caller, feedId: string): Promise<Feed> {
  const where = { ...Object(reachableFeeds(caller)), id: feedId };
  return found(await em.findOne(Feed, where, { lockMode: LockMode.PESSIMISTIC_WRITE }), feedId);
}

function found(feed: Feed | null, feedId: string): Feed {
  if (feed === null) throw new ServiceError('not_found', `No feed of yours has the id ${feedId}.`);
  return feed;
}
