/** What actions have in common. */
import type { PostRow } from './journal.ts';
import { hold } from './replica.ts';
import type { Stage } from './posting.ts';
import type { Actor } from './tenants.ts';

/** Does something, checks its answer, and returns a line for the history. */
export type Act = (stage: Stage, actor: Actor) => Promise<string>;

/** A request that sends may end with a process that dies. */
export const DIED = [200, 500];

export function isLiving({ observer }: Stage, post: PostRow): boolean {
  return observer.replica.connections.get(post.connection_id)?.deleted_at === null;
}

/** One of the actor's posts that matches; undefined when none does. */
export function somePost(
  { observer, sampler }: Stage,
  actor: Actor,
  like: (post: PostRow) => boolean,
): PostRow | undefined {
  const posts = observer.replica.ofTenant(actor.id).filter(like);
  return posts.length === 0 ? undefined : sampler.pick(posts);
}

export function expectStatus(action: string, status: number, expected: readonly number[], body: unknown): string {
  hold(
    expected.includes(status),
    '9 errors',
    () => `${action} -> ${status} ${JSON.stringify(body)}, not ${expected.join()}`,
  );
  return `${action} -> ${status}`;
}
