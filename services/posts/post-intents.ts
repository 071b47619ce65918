/** What the plan of an account is asked about posts: the same question for a send, its validation, a draft and what is due. */
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { Caller } from '../keys/caller.ts';
import type { PostIntent } from '../plans/admit-posts.ts';
import { type CheckedInput, contentFor } from './check-slugs.ts';

/** Of posts that a request is about to make. */
export function intentsOf(caller: Caller, checked: CheckedInput, targets: readonly PostTarget[]): PostIntent[] {
  const sendsNow = checked.scheduledFor === null && checked.input.queue !== true;
  return targets.map((target) => ({
    connectionId: target.id,
    connectionSlug: target.slug,
    platformId: target.platformId,
    mode: caller.mode,
    text: contentFor(checked, target).text,
    sendsNow,
  }));
}

/** Columns of a stored post that the plan goes by. */
interface StoredPost {
  readonly connection_id: string;
  readonly connection_slug: string;
  readonly platform_id: string;
  readonly mode: 'live' | 'test';
  readonly text: string;
}

/** Of a post that is stored. */
export function storedIntent(post: StoredPost, sendsNow: boolean): PostIntent {
  return {
    connectionId: post.connection_id,
    connectionSlug: post.connection_slug,
    platformId: post.platform_id,
    mode: post.mode,
    text: post.text,
    sendsNow,
  };
}
