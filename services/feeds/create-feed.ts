/** Adds a feed; a worker polls it at once (docs/contract/feeds.md). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Surface } from '../../entities/audit-entry.ts';
import { Feed, type FEED_DELIVERIES } from '../../entities/feed.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import { storedCaller } from '../access/stored-caller.ts';
import { resolveSlugs, type WithTargetLookups } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { requireFeedAddress } from './feed-address.ts';
import { feedView, type FeedView } from './feed-view.ts';

/** Most feeds of an account, in both modes together. */
export const FEEDS_PER_ACCOUNT = 100;

export interface NewFeed {
  readonly url: string;
  readonly connectionSlugs: readonly string[];
  readonly profileId: string | null;
  readonly template: string;
  readonly delivery: (typeof FEED_DELIVERIES)[number];
  readonly intervalMinutes: number;
  readonly surface: Surface;
}

/**
 * @throws ServiceError invalid_request, invalid_connection, limit_exceeded, unauthorized when the caller's key or grant was
 *   revoked meanwhile
 */
export async function createFeed(
  context: Context & WithTargetLookups,
  caller: Caller,
  request: NewFeed,
): Promise<FeedView> {
  const { profileId: targetProfileId, connectionSlugs, ...fields } = request;
  requireFeedAddress(request.url);
  await requireConnections(context, caller, connectionSlugs, targetProfileId);
  const { accountId, profileId, mode } = caller;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdMaker(em, caller);
    await lockAccount(em, accountId);
    await requireCapacity(em, accountId);
    const now = context.clock.now();
    const feed = em.create(Feed, {
      ...fields,
      id: context.random.uuid(),
      accountId,
      profileId,
      mode,
      caller: storedCaller(caller),
      connectionSlugs: [...connectionSlugs],
      targetProfileId,
      createdAt: now,
      nextPollAt: now,
    });
    await em.flush();
    return feedView(feed);
  });
}

/** @throws ServiceError invalid_connection when a slug names none of the caller's connections */
export async function requireConnections(
  context: Context & WithTargetLookups,
  caller: Caller,
  slugs: readonly string[],
  profileId: string | null,
): Promise<void> {
  const resolved = await resolveSlugs(context, caller, slugs, profileId ?? undefined);
  const unknown = resolved.flatMap((one) => ('error' in one ? [one.error.message] : []));
  if (unknown.length > 0) throw new ServiceError('invalid_connection', unknown.slice(0, 5).join(' '));
}

async function requireCapacity(em: SqlEntityManager, accountId: string): Promise<void> {
  const count = await em.count(Feed, { accountId });
  if (count < FEEDS_PER_ACCOUNT) return;
  const message = `The account has ${count} feeds; the limit is ${FEEDS_PER_ACCOUNT}. Delete one with DELETE /feeds/{feedId} first.`;
  throw new ServiceError('limit_exceeded', message);
}
