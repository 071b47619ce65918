/** Orders of posts in a queue. Pure. */

/** A post as orders need it. */
interface QueuedPost {
  readonly id: string;
  readonly scheduledFor: string;
}

/** The queue after the named posts have shared out the times that they hold together, earliest first. */
export function inOrder<Item extends QueuedPost>(queue: readonly Item[], postIds: readonly string[]): Item[] {
  const byTime = queue.toSorted((one, other) => Date.parse(one.scheduledFor) - Date.parse(other.scheduledFor));
  const byId = new Map(byTime.map((post) => [post.id, post]));
  const ordered = postIds.flatMap((id) => byId.get(id) ?? []).values();
  const named = new Set(postIds);
  return byTime.map((post) => {
    const next = named.has(post.id) ? ordered.next().value : undefined;
    return next === undefined ? post : { ...next, scheduledFor: post.scheduledFor };
  });
}

/** The list with one of its ids at an index; unchanged without the id or the index. */
export function movedTo(ids: readonly string[], id: string, index: number): readonly string[] {
  if (!ids.includes(id) || index < 0 || index >= ids.length) return ids;
  return ids.filter((other) => other !== id).toSpliced(index, 0, id);
}

/** The part of an order that differs from another one, in both; empty when none does. */
export function changedPart(
  from: readonly string[],
  to: readonly string[],
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const differs = (id: string, index: number) => from[index] !== id;
  const [start, end] = [to.findIndex(differs), to.findLastIndex(differs) + 1];
  return start === -1 ? { before: [], after: [] } : { before: from.slice(start, end), after: to.slice(start, end) };
}
