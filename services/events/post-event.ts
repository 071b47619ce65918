/** Builds the events about posts, with their payloads (docs/contract/webhooks.md#events). */
import type { RescheduleReason } from '../../entities/post.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../timestamp.ts';
import type { EventPayload } from './event-payloads.ts';
import type { EventFacts, NewEvent } from './store-events.ts';

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

export function postEvent(post: PostFacts, send: SendFacts): EventPayload<'post.sent' | 'post.failed'> {
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
      tags: [...post.tags],
      profileId: post.profileId,
    },
  };
}

/** Columns of `posts` that all its events need. */
interface EventPost {
  readonly id: string;
  readonly account_id: string;
  readonly profile_id: string | null;
  readonly connection_slug: string;
  readonly mode: 'live' | 'test';
}

/** Columns for the events about a pending post or one that was never sent. */
export interface WaitingPost extends EventPost {
  readonly text: string;
  readonly scheduled_for: string | null;
  readonly created_at: string;
  readonly tags: readonly string[];
}

/** Columns for the events about a post on its platform. */
export interface PublishedPost extends EventPost {
  readonly platform_id: string;
}

/** The event post.rescheduled: the time of a pending post has changed. */
export function rescheduledEvent(
  context: Context,
  post: WaitingPost,
  scheduledFor: Date,
  reason: RescheduleReason,
): NewEvent {
  return {
    ...eventAbout(context, post),
    name: 'post.rescheduled',
    payload: rescheduledPayload(
      { id: post.id, connectionSlug: post.connection_slug, profileId: post.profile_id },
      scheduledFor,
      reason,
    ),
  };
}

/** The payload of post.rescheduled. */
export function rescheduledPayload(
  { id, connectionSlug, profileId }: Pick<PostFacts, 'id' | 'connectionSlug' | 'profileId'>,
  scheduledFor: Date,
  reason: RescheduleReason,
): EventPayload<'post.rescheduled'> {
  return { post: { id, connectionSlug, scheduledFor: timestamp(scheduledFor), reason, profileId } };
}

/** The event post.failed of a post that failed before the call to its platform. */
export function failedEvent(
  context: Context,
  post: WaitingPost,
  mediaCount: number,
  error: { readonly code: string; readonly message: string },
): NewEvent {
  const facts = {
    id: post.id,
    connectionSlug: post.connection_slug,
    text: post.text,
    scheduledFor: post.scheduled_for === null ? null : new Date(post.scheduled_for),
    createdAt: new Date(post.created_at),
    tags: post.tags,
    profileId: post.profile_id,
    mediaCount,
  };
  return {
    ...eventAbout(context, post),
    name: 'post.failed',
    payload: postEvent(facts, { status: 'failed', url: null, error, threadCount: 0, hasFirstComment: false }),
  };
}

/** The event post.deleted: a published post was deleted on its platform. */
export function deletedEvent(context: Context, post: PublishedPost, deletedAt: Date): NewEvent {
  return {
    ...eventAbout(context, post),
    name: 'post.deleted',
    payload: {
      post: {
        id: post.id,
        connectionSlug: post.connection_slug,
        platformId: post.platform_id,
        deletedAt: timestamp(deletedAt),
        profileId: post.profile_id,
      },
    },
  };
}

/** The event post.metrics: the first read of a post's metrics on a UTC day. */
export function metricsEvent(
  context: Context,
  post: PublishedPost & { readonly url: string | null },
  metrics: EventPayload<'post.metrics'>['metrics'],
): NewEvent {
  return {
    ...eventAbout(context, post),
    name: 'post.metrics',
    payload: {
      post: {
        id: post.id,
        connectionSlug: post.connection_slug,
        platformId: post.platform_id,
        url: post.url,
        profileId: post.profile_id,
      },
      metrics,
    },
  };
}

function eventAbout(context: Context, post: EventPost): EventFacts {
  return {
    id: context.random.uuid(),
    accountId: post.account_id,
    profileId: post.profile_id,
    mode: post.mode,
    subjectId: post.id,
    createdAt: context.clock.now(),
  };
}
