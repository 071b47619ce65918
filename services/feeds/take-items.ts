/**
 * Makes posts of the new items of a feed. An item is stored in the transaction that stores its posts, under a unique key, so
 * that it becomes posts once, also with two workers and after a crash.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { isDatabaseAway } from '../../entities/database-away.ts';
import type { FEED_ITEM_STATUSES } from '../../entities/feed-item.ts';
import { tables } from '../../entities/tables.ts';
import { publicError } from '../../errors/error-body.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Caller } from '../access/caller.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { bodyHash } from '../idempotency/body-hash.ts';
import { createPosts, type WithCreations } from '../posts/create-posts.ts';
import type { StoredResult } from '../posts/store-and-send.ts';
import { hashSecret } from '../secrets.ts';
import type { ClaimedFeed } from './claim-feeds.ts';
import type { ParsedItem } from './parse-feed.ts';
import { fillTemplate } from './template.ts';

/** Most items of a poll that become posts; the others follow with the next poll. */
export const ITEMS_A_POLL = 10;

const OPERATION = 'posts.create';

interface NewItem extends ParsedItem {
  readonly keyHash: string;
  readonly linkHash: string | null;
}

/** @returns false when items are left for the next poll */
export async function takeItems(
  context: Context & WithCreations,
  caller: Caller,
  feed: ClaimedFeed,
  items: readonly ParsedItem[],
): Promise<boolean> {
  const fresh = await unknownItems(context, feed, items);
  const isFirst = feed.last_ok_at === null;
  const since = new Date(feed.items_since ?? feed.created_at);
  const dayOf = (date: Date) => date.toISOString().slice(0, 10);
  // What was published before the feed was given its address; where the date does not tell, what the first poll finds.
  const isPassed = ({ publishedAt, isDatedByDay }: NewItem) =>
    publishedAt === null || (isDatedByDay && dayOf(publishedAt) === dayOf(since)) ? isFirst : publishedAt < since;
  const passed = fresh.filter(isPassed);
  for (const item of passed) await storeItem(context, context.db.em(), feed, item, { status: 'passed' });
  const taken = inOrder(fresh.filter((item) => !isPassed(item)));
  for (const item of taken.slice(0, ITEMS_A_POLL)) await takeItem(context, caller, feed, item);
  return taken.length <= ITEMS_A_POLL;
}

/** In the order of publication. Most feeds begin with the newest item, which counts where dates do not tell. */
function inOrder(items: readonly NewItem[]): NewItem[] {
  const oldestFirst = items.toReversed();
  if (items.some(({ publishedAt }) => publishedAt === null)) return oldestFirst;
  return oldestFirst.toSorted((one, other) => Number(one.publishedAt) - Number(other.publishedAt));
}

/** Items whose key and link are both unknown. */
async function unknownItems(context: Context, { id }: ClaimedFeed, items: readonly ParsedItem[]): Promise<NewItem[]> {
  const hashed = items.map((item) => {
    return { ...item, keyHash: hashSecret(item.key), linkHash: item.link === null ? null : hashSecret(item.link) };
  });
  const hashes = hashed.flatMap(({ keyHash, linkHash }) => [keyHash, ...(linkHash === null ? [] : [linkHash])]);
  const known = await tables(context.db.queries)
    .selectFrom('feed_items')
    .select(['key_hash', 'link_hash'])
    .where('feed_id', '=', id)
    .where((of) => of.or([of('key_hash', '=', anyOf(hashes, 'text')), of('link_hash', '=', anyOf(hashes, 'text'))]))
    .execute();
  const seen = new Set(known.flatMap(({ key_hash: key, link_hash: link }) => [key, ...(link === null ? [] : [link])]));
  return hashed.filter(({ keyHash, linkHash }) => {
    if (seen.has(keyHash) || (linkHash !== null && seen.has(linkHash))) return false;
    seen.add(keyHash);
    if (linkHash !== null) seen.add(linkHash);
    return true;
  });
}

async function takeItem(
  context: Context & WithCreations,
  caller: Caller,
  feed: ClaimedFeed,
  item: NewItem,
): Promise<void> {
  const text = fillTemplate(feed.template, item);
  if (text === '') {
    const message =
      'The item has no title, link or summary, so its post would have no text. Give it one in the feed, with a new guid or id: a failed item is not tried again.';
    const error = { code: 'invalid_request', message } as const;
    await storeItem(context, context.db.em(), feed, item, { status: 'failed', error }).catch(ignoreTaken);
    return;
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
  } catch (error) {
    if (error instanceof ItemTaken) return;
    if (isDatabaseAway(error)) throw error;
    const failure = publicError(error);
    if (failure.code === 'idempotency_key_conflict') return;
    if (failure.code === 'internal_server_error') {
      context.log.error({ feed: feed.id, err: error }, 'an item of a feed was not taken');
    }
    const shown = { code: failure.code, message: failure.message };
    await storeItem(context, context.db.em(), feed, item, { status: 'failed', error: shown }).catch(ignoreTaken);
  }
}

/** Another worker stored the item first. */
class ItemTaken extends Error {
  override name = 'ItemTaken';
}

function ignoreTaken(error: unknown): void {
  if (!(error instanceof ItemTaken)) throw error;
}

interface ItemOutcome {
  readonly status: (typeof FEED_ITEM_STATUSES)[number];
  readonly results?: readonly object[];
  readonly error?: ItemError | null;
}

/** @throws ItemTaken when the item is stored already, unless it was only passed */
async function storeItem(
  context: Context,
  em: SqlEntityManager,
  { id: feedId }: ClaimedFeed,
  { keyHash, linkHash, title, link }: NewItem,
  { status, results = [], error = null }: ItemOutcome,
): Promise<void> {
  const { numInsertedOrUpdatedRows: stored = 0n } = await tables(em)
    .insertInto('feed_items')
    .values({
      id: context.random.uuid(),
      feed_id: feedId,
      key_hash: keyHash,
      link_hash: linkHash,
      title,
      link,
      status,
      results: JSON.stringify(results),
      error_code: error?.code ?? null,
      error_message: error?.message ?? null,
      created_at: context.clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['feed_id', 'key_hash']).doNothing())
    .executeTakeFirst();
  if (stored === 0n && status !== 'passed') throw new ItemTaken(`the item ${keyHash} is taken`);
}
