/** Compares the items of a document with those that the feed has seen: which are new, and which have another guid or link now. */
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import type { ClaimedFeed } from './claim-feeds.ts';
import type { ParsedItem } from './parse-feed.ts';
import type { Identity, NewItem } from './store-feed-items.ts';

interface KnownItem {
  readonly id: string;
  readonly key_hash: string;
  readonly link_hash: string | null;
}

interface Compared {
  /** Items whose key and link are both unknown. */
  readonly fresh: readonly NewItem[];
  /** What identifies known items from now on. */
  readonly changed: readonly Identity[];
}

export async function compareWithKnown(
  context: Context,
  { id }: ClaimedFeed,
  items: readonly ParsedItem[],
): Promise<Compared> {
  const hashed = items.map((item) => {
    return { ...item, keyHash: hashSecret(item.key), linkHash: item.link === null ? null : hashSecret(item.link) };
  });
  const hashes = hashed.flatMap(({ keyHash, linkHash }) => [keyHash, ...(linkHash === null ? [] : [linkHash])]);
  const known = await tables(context.db.queries)
    .selectFrom('feed_items')
    .select(['id', 'key_hash', 'link_hash'])
    .where('feed_id', '=', id)
    .where((of) => of.or([of('key_hash', '=', anyOf(hashes, 'text')), of('link_hash', '=', anyOf(hashes, 'text'))]))
    .execute();
  const shared = new Set([...sharedLinks(hashed), ...sharedByKnown(known)]);
  const identified = hashed.map((item) => ({
    ...item,
    usableLink: item.linkHash === null || shared.has(item.linkHash) ? null : item.linkHash,
  }));
  return { fresh: freshItems(identified, known), changed: changedIdentities(identified, known) };
}

interface Identified extends NewItem {
  /** Null when the link identifies no item. */
  readonly usableLink: string | null;
}

function freshItems(items: readonly Identified[], known: readonly KnownItem[]): NewItem[] {
  const seen = new Set(known.flatMap(hashesOf));
  return items.filter(({ keyHash, linkHash, usableLink }) => {
    if (seen.has(keyHash) || (usableLink !== null && seen.has(usableLink))) return false;
    seen.add(keyHash);
    if (linkHash !== null) seen.add(linkHash);
    return true;
  });
}

function hashesOf({ key_hash: key, link_hash: link }: KnownItem): string[] {
  return link === null ? [key] : [key, link];
}

/**
 * A site may change its links first and its guids later: an item known by one of them is known by both from then on. What
 * several items of the document would give the same item, or would take from another, is left as it is.
 */
function changedIdentities(items: readonly Identified[], known: readonly KnownItem[]): Identity[] {
  const ownerOf = new Map(known.flatMap((one) => hashesOf(one).map((hash) => [hash, one] as const)));
  for (const one of known) ownerOf.set(one.key_hash, one);
  const readKeys = Map.groupBy(items, ({ keyHash }) => keyHash);
  const found = items.flatMap((item) => {
    const owner = ownerOf.get(item.keyHash) ?? ownerOf.get(item.usableLink ?? '');
    return owner === undefined ? [] : [{ owner, item }];
  });
  return [...Map.groupBy(found, ({ owner }) => owner.id).values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length > 0) return [];
    const { owner, item } = first;
    // What was the link of an item may become its guid, and the other way round. An item without a guid has its link as key.
    const isItsOwn = (hash: string) => ownerOf.get(hash) === owner;
    const isNewKey = !ownerOf.has(item.keyHash) || (isItsOwn(item.keyHash) && item.keyHash !== item.linkHash);
    const isKeyFree = isNewKey && readKeys.get(item.keyHash)?.length === 1;
    const isLinkFree = item.usableLink !== null && (!ownerOf.has(item.usableLink) || isItsOwn(item.usableLink));
    const keyHash = isKeyFree ? item.keyHash : owner.key_hash;
    const linkHash = isLinkFree ? item.usableLink : owner.link_hash;
    const isSame = keyHash === owner.key_hash && linkHash === owner.link_hash;
    return isSame ? [] : [{ id: owner.id, keyHash, linkHash }];
  });
}

/** Links of several items with ids, such as the page of a show that all its episodes link to: they identify none. */
function sharedLinks(items: readonly NewItem[]): ReadonlySet<string> {
  const keys = Map.groupBy(
    items.filter(({ keyHash, linkHash }) => keyHash !== linkHash),
    ({ linkHash }) => linkHash,
  );
  const isShared = (sharing: readonly NewItem[]) => sharing.some(({ keyHash }) => keyHash !== sharing[0]?.keyHash);
  return new Set([...keys].flatMap(([link, sharing]) => (link !== null && isShared(sharing) ? [link] : [])));
}

/** The same of items that are known, also when only one of them, or another one, is in the document now. */
function sharedByKnown(known: readonly KnownItem[]): readonly string[] {
  const byLink = Map.groupBy(known, ({ link_hash }) => link_hash);
  return [...byLink].flatMap(([link, holders]) => (link !== null && holders.length > 1 ? [link] : []));
}
