/** An entry of the calendar as a post that can be moved. */
import type { MovablePost } from '../queues/moves.ts';
import type { PostEntry } from './entries.ts';

export function movableOf({ post }: PostEntry): MovablePost {
  return { id: post.id, scheduledFor: post.at, connectionId: post.connectionId, isQueued: post.queued };
}
