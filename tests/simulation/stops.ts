/** Checks that nothing goes out under a stop, and that a stop holds what it is about (docs/contract/stops.md). */
import type { PostRow } from './journal.ts';
import { hold, type Replica } from './replica.ts';
import type { Step } from './transitions.ts';

/** No send begins under a stop; one that was in progress when the stop began ends as it ends. */
export function checkStopped(replica: Replica, steps: readonly Step[]): void {
  for (const { old, new: present } of steps) {
    if (present?.status !== 'processing' || old?.status === 'processing') continue;
    hold(!isStopped(replica, present), '11 stops', () => `${replica.nameOf(present)} goes out, and is stopped`);
  }
}

/** Every waiting post that is stopped names an active stop and is held, and no other post does. */
export function checkHeld(replica: Replica): void {
  for (const post of replica.posts.values()) {
    if (post.status !== 'scheduled') continue;
    const describe = () => `${replica.nameOf(post)} names the stop ${post.stop_id} and is held: ${post.held}`;
    if (post.stop_id !== null) hold(replica.stops.has(post.stop_id), '11 stops', describe);
    hold((post.stop_id !== null) === isStopped(replica, post), '11 stops', describe);
    hold(post.stop_id === null || post.held, '11 stops', describe);
  }
}

function isStopped(replica: Replica, { account_id: account, created_by_id: creator }: PostRow): boolean {
  return replica.isStopped(account, creator);
}
