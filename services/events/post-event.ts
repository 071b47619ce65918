/** The events about posts: what post.sent, post.failed and post.rescheduled carry, field by field as the spec shows it. */
import type { JsonObject } from '../../platforms/contract.ts';
import type { RequiredEntityData } from '@mikro-orm/core';
import type { Event } from '../../entities/event.ts';
import type { Context } from '../context.ts';
import type { PostRow } from '../posts/post-view.ts';
import { timestamp } from '../timestamp.ts';

interface PostFacts {
  readonly id: string;
  readonly connectionSlug: string;
  readonly text: string;
  readonly scheduledFor: Date | null;
  readonly createdAt: Date;
  readonly tags: readonly string[];
  readonly profileId: string | null;
  readonly mediaCount: number;
}

interface SendFacts {
  readonly status: 'sent' | 'failed';
  readonly url: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly threadCount: number;
  readonly hasFirstComment: boolean;
}

export function postEvent(post: PostFacts, send: SendFacts): JsonObject {
  return {
    post: {
      id: post.id,
      connectionSlug: post.connectionSlug,
      text: post.text,
      status: send.status,
      url: send.url,
      scheduledFor: post.scheduledFor === null ? null : timestamp(post.scheduledFor),
      createdAt: timestamp(post.createdAt),
      mediaCount: post.mediaCount,
      threadCount: send.threadCount,
      hasFirstComment: send.hasFirstComment,
      error: send.error === null ? null : { code: send.error.code, message: send.error.message },
      tags: post.tags,
      profileId: post.profileId,
    },
  };
}

/** The event post.rescheduled: a pending post's own time has changed. */
export function rescheduledEvent(
  context: Context,
  post: PostRow,
  scheduledFor: Date,
  reason: 'requeued',
): RequiredEntityData<Event> {
  return {
    id: context.random.uuid(),
    accountId: post.account_id,
    profileId: post.profile_id,
    name: 'post.rescheduled',
    mode: post.mode,
    subjectId: post.id,
    payload: {
      post: {
        id: post.id,
        connectionSlug: post.connection_slug,
        scheduledFor: timestamp(scheduledFor),
        reason,
        profileId: post.profile_id,
      },
    },
    createdAt: context.clock.now(),
  };
}
