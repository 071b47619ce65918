/**
 * Stores items of a feed, each under a unique key, so that none becomes posts twice. A feed that was changed, disabled or
 * deleted while a worker polled it gets nothing of that poll: the transaction holds the feed until it ends.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column } from '../../entities/column-lists.ts';
import type { FEED_ITEM_STATUSES } from '../../entities/feed-item.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Context } from '../context.ts';
import { requireNoHold } from '../restores/restored-sources.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import type { ClaimedFeed } from './claim-feeds.ts';
import type { ParsedItem } from './parse-feed.ts';

export interface NewItem extends ParsedItem {
  readonly keyHash: string;
  readonly linkHash: string | null;
}

/** What identifies a stored item. */
export interface Identity {
  readonly id: string;
  readonly keyHash: string;
  readonly linkHash: string | null;
}

export interface ItemOutcome {
  readonly status: Exclude<(typeof FEED_ITEM_STATUSES)[number], 'passed'>;
  readonly results?: readonly object[];
  readonly error: ItemError | null;
}

/** The feed is no longer what the worker has claimed. */
export class FeedChanged extends Error {
  override name = 'FeedChanged';
}

/** Another worker stored the item first. */
export class ItemTaken extends Error {
  override name = 'ItemTaken';
}

const holdAddress = statement('hold a feed that has kept its address', {
  parameters: { id: 'uuid', url: 'text', itemsSince: 'timestamptz?' },
  result: { id: 'uuid' },
  sql: ({ id, url, itemsSince }) => `
    select id from feeds where id = ${id} and url = ${url} and items_since is not distinct from ${itemsSince} for share`,
});

const holdSettings = statement('hold a feed whose posts would be the same', {
  parameters: {
    id: 'uuid',
    url: 'text',
    itemsSince: 'timestamptz?',
    caller: column('feeds', 'caller'),
    slugs: 'text[]',
    template: 'text',
    delivery: column('feeds', 'delivery'),
  },
  result: { id: 'uuid' },
  sql: ({ id, url, itemsSince, caller, slugs, template, delivery }) => `
    select id from feeds where id = ${id} and url = ${url} and items_since is not distinct from ${itemsSince}
      and caller = ${caller} and connection_slugs = ${slugs} and template = ${template} and delivery = ${delivery}
      and disabled_at is null for share`,
});

const setIdentities = statement('set what identifies items of a feed', {
  parameters: { feedId: 'uuid', ids: 'uuid[]', keys: 'text[]', links: 'text[]' },
  sql: ({ feedId, ids, keys, links }) => `
    update feed_items i set key_hash = n.key_hash, link_hash = nullif(n.link_hash, '')
    from unnest(${ids}, ${keys}, ${links}) as n(id, key_hash, link_hash) where i.feed_id = ${feedId} and i.id = n.id`,
});

/**
 * Stores an item in the transaction that stores its posts.
 *
 * @throws FeedChanged
 * @throws ItemTaken
 * @throws DatabaseRestored
 */
export async function storeItem(
  context: Context & WithRestoreWatch,
  em: SqlEntityManager,
  feed: ClaimedFeed,
  item: NewItem,
  { status, results = [], error }: ItemOutcome,
): Promise<void> {
  await requireNoHold(context, em);
  const { id, url, items_since: itemsSince, caller, connection_slugs: slugs, template, delivery } = feed;
  const held = await holdSettings(em, { id, url, itemsSince, caller, slugs, template, delivery });
  if (held.length === 0) throw new FeedChanged(`the feed ${id} was changed`);
  const row = {
    ...columnsOf(context, feed, item),
    status,
    results: JSON.stringify(results),
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
  };
  if ((await insert(em, [row])) === 0n) throw new ItemTaken(`the item ${item.keyHash} is taken`);
}

/**
 * Stores by what known items are recognized in the next documents.
 *
 * @throws FeedChanged
 */
export async function storeIdentities(
  context: Context,
  feed: ClaimedFeed,
  changed: readonly Identity[],
): Promise<void> {
  if (changed.length === 0) return;
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await requireAddress(em, feed);
    await setIdentities(em, {
      feedId: feed.id,
      ids: changed.map(({ id }) => id),
      keys: changed.map(({ keyHash }) => keyHash),
      links: changed.map(({ linkHash }) => linkHash ?? ''),
    });
  });
}

/**
 * Stores items that become no posts, because they are older than the address of the feed.
 *
 * @throws FeedChanged
 */
export async function storePassed(context: Context, feed: ClaimedFeed, items: readonly NewItem[]): Promise<void> {
  if (items.length === 0) return;
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await requireAddress(em, feed);
    const rows = items.map((item) => ({
      ...columnsOf(context, feed, item),
      status: 'passed' as const,
      results: '[]',
      error_code: null,
      error_message: null,
    }));
    await insert(em, rows);
  });
}

/** @throws FeedChanged */
async function requireAddress(em: SqlEntityManager, { id, url, items_since: itemsSince }: ClaimedFeed): Promise<void> {
  const held = await holdAddress(em, { id, url, itemsSince });
  if (held.length === 0) throw new FeedChanged(`the feed ${id} has another address`);
}

function columnsOf(context: Context, { id: feedId }: ClaimedFeed, { keyHash, linkHash, title, link }: NewItem) {
  return {
    id: context.random.uuid(),
    feed_id: feedId,
    key_hash: keyHash,
    link_hash: linkHash,
    title,
    link,
    created_at: context.clock.now(),
  };
}

type ItemRow = ReturnType<typeof columnsOf> & {
  readonly status: (typeof FEED_ITEM_STATUSES)[number];
  readonly results: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
};

/** @returns how many were not stored before */
async function insert(em: SqlEntityManager, rows: readonly ItemRow[]): Promise<bigint> {
  const { numInsertedOrUpdatedRows = 0n } = await tables(em)
    .insertInto('feed_items')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['feed_id', 'key_hash']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows;
}
