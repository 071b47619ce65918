/**
 * The times to which posts are being moved, from the press until the service has answered or Undo was pressed: such a post
 * may be read meanwhile as the service still knows it.
 */
import { useSyncExternalStore } from 'react';

type Times = ReadonlyMap<string, string>;

let times: Times = new Map();
const readers = new Set<() => void>();

function change(changed: Times): void {
  times = changed;
  for (const read of readers) read();
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Instants by the ids of the posts. */
export function usePendingTimes(): Times {
  return useSyncExternalStore(subscribe, () => times);
}

export function setPendingTime(postId: string, time: string): void {
  change(new Map([...times, [postId, time]]));
}

/** Ends the move of a post to this time; a later move goes on. */
export function endPendingTime(postId: string, time: string): void {
  if (times.get(postId) === time) change(new Map([...times].filter(([id]) => id !== postId)));
}
