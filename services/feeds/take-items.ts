/**
 * Makes posts of the new items of a feed. An item is stored in the transaction that stores its posts, under a unique key, so
 * that it becomes posts once, also with two workers and after a crash.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { isDatabaseAway } from '../../entities/database-away.ts';
import { publicError } from '../../errors/error-body.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Caller } from '../access/caller.ts';
import { inForce } from '../access/stored-caller.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { bodyHash } from '../idempotency/body-hash.ts';
import { createPosts, type WithCreations } from '../posts/create-posts.ts';
import type { StoredResult } from '../posts/store-and-send.ts';
import { DatabaseRestored, type WithRestoreWatch } from '../restores/restore-watch.ts';
import type { ClaimedFeed } from './claim-feeds.ts';
import { compareWithKnown } from './known-items.ts';
import type { ParsedItem } from './parse-feed.ts';
import { FeedChanged, ItemTaken, type NewItem, storeIdentities, storeItem, storePassed } from './store-feed-items.ts';
import { fillTemplate } from './template.ts';

/** Most items of a poll that become posts; the others follow with the next poll. */
export const ITEMS_A_POLL = 10;

const OPERATION = 'posts.create';

/** @returns false when items are left for the next poll: too many, or the feed or its rights have changed meanwhile */
export async function takeItems(
  context: Context & WithCreations & WithRestoreWatch,
  caller: Caller,
  feed: ClaimedFeed,
  items: readonly ParsedItem[],
): Promise<boolean> {
  const { fresh, changed } = await compareWithKnown(context, feed, items);
  const isPassed = passedIn(feed);
  const taken = inOrder(fresh.filter((item) => !isPassed(item)));
  try {
    await storeIdentities(context, feed, changed);
    await storePassed(context, feed, fresh.filter(isPassed));
    for (const item of taken.slice(0, ITEMS_A_POLL)) {
      const present = await inForce(context, caller, 'posts:write');
      if (present === null) return false;
      await takeItem(context, present, feed, item);
    }
  } catch (error) {
    if (error instanceof FeedChanged) return false;
    throw error;
  }
  return taken.length <= ITEMS_A_POLL;
}

/** Whether a poll passes an item over: it is older than the address of the feed; if no date tells, the first poll finds it. */
function passedIn(feed: ClaimedFeed): (item: NewItem) => boolean {
  const isFirst = feed.last_ok_at === null;
  const since = new Date(feed.items_since ?? feed.created_at);
  const dayOf = (date: Date) => date.toISOString().slice(0, 10);
  return ({ publishedAt, isDatedByDay }) =>
    publishedAt === null || (isDatedByDay && dayOf(publishedAt) === dayOf(since)) ? isFirst : publishedAt < since;
}

/** In the order of publication. Most feeds begin with the newest item, which counts where dates do not tell. */
function inOrder(items: readonly NewItem[]): NewItem[] {
  const oldestFirst = items.toReversed();
  if (items.some(({ publishedAt }) => publishedAt === null)) return oldestFirst;
  return oldestFirst.toSorted((one, other) => Number(one.publishedAt) - Number(other.publishedAt));
}

/** @throws FeedChanged */
async function takeItem(
  context: Context & WithCreations & WithRestoreWatch,
  caller: Caller,
  feed: ClaimedFeed,
  item: NewItem,
): Promise<void> {
  try {
    const error = await createItem(context, caller, feed, item);
    if (error === null) return;
    await context.db
      .em()
      .transactional((em: SqlEntityManager) => storeItem(context, em, feed, item, { status: 'failed', error }));
  } catch (error) {
    if (!(error instanceof ItemTaken)) throw error;
  }
}

/**
 * @returns why nothing was stored; null when the item and its posts are
 * @throws FeedChanged
 * @throws ItemTaken
 */
async function createItem(
  context: Context & WithCreations & WithRestoreWatch,
  caller: Caller,
  feed: ClaimedFeed,
  item: NewItem,
): Promise<ItemError | null> {
  const text = fillTemplate(feed.template, item);
  if (text === '') {
    const message =
      'The item has no title, link or summary, so its post would have no text. Give it one in the feed, with a new guid or id: a failed item is not tried again.';
    return { code: 'invalid_request', message };
  }
  const input = {
    text,
    connectionSlugs: feed.connection_slugs,
    ...(feed.target_profile_id !== null && { profileId: feed.target_profile_id }),
    ...(feed.delivery === 'queue' ? { queue: true } : { isDraft: true }),
  };
  const key = { key: `feed ${feed.id} ${item.keyHash}`, operation: OPERATION, hash: bodyHash(input) };
  const whenStored = async (em: SqlEntityManager, stored: readonly StoredResult[]) => {
    const results = stored.flatMap((one) => ('claim' in one ? [] : [one]));
    const ids = results.flatMap(({ postId }) => postId ?? []);
    const error = results.find((result) => result.error !== null)?.error ?? null;
    const status = ids.length > 0 ? 'created' : 'failed';
    await storeItem(context, em, feed, item, { status, results, error });
    const object = ids.length === 0 ? null : { type: 'post', ids };
    const { accountId, actor, mode } = caller;
    const profileId = caller.profileId ?? feed.target_profile_id;
    const by = { accountId, actor, mode, profileId, surface: feed.surface, requestId: null };
    await recordChange(context, { ...by, operation: OPERATION, object, outcome: 'ok' }, em);
  };
  try {
    await createPosts(context, caller, input, key, { whenStored });
    return null;
  } catch (error) {
    if (error instanceof ItemTaken || error instanceof FeedChanged || error instanceof DatabaseRestored) throw error;
    if (isDatabaseAway(error)) throw error;
    const failure = publicError(error);
    if (failure.code === 'idempotency_key_conflict') return null;
    if (failure.code === 'internal_server_error') {
      context.log.error({ feed: feed.id, err: error }, 'an item of a feed was not taken');
    }
    return { code: failure.code, message: failure.message };
  }
}
