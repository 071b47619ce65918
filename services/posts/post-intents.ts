/**
 * Builds the question that the plan of an account answers about posts. A send, its validation, a draft and a due post
 * all use the same question.
 */
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { Caller } from '../keys/caller.ts';
import type { PostIntent } from '../plans/admit-posts.ts';
import { type CheckedInput, contentFor } from './check-slugs.ts';

/** For posts that a request is about to create. */
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

/** Columns of a stored post that the plan decides by. */
interface StoredPost {
  readonly connection_id: string;
  readonly connection_slug: string;
  readonly platform_id: string;
  readonly mode: 'live' | 'test';
  readonly text: string;
}

/** For a stored post. */
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
