/**
 * POST /post/{connectionSlug}: sends one text to one connection and returns failures as errors of the request
 * (docs/contract/posts.md#the-simple-endpoint).
 */
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { readScheduledFor } from '../scheduling/read-scheduled-for.ts';
import { createPosts, type WithCreations } from './create-posts.ts';
import type { PostResult } from './post-result.ts';

export interface SimplePostInput {
  readonly connectionSlug: string;
  readonly text: string;
  readonly scheduled_for?: string | undefined;
  readonly rewrite?: boolean | undefined;
}

export type SimplePostResult =
  | { platform: string; link: string | null }
  | { platform: string; sent: true }
  | { scheduled: true; scheduled_for: string }
  | { approval: 'pending'; post_id: string };

/**
 * @param setSubject receives the id of the post, which the answer does not contain
 * @throws ServiceError invalid_request, invalid_connection, and the error code of the send; internal_server_error when
 *   its outcome is unknown (docs/contract/posts.md#unknown-outcomes)
 */
export async function createSimplePost(
  context: Context & WithCreations,
  caller: Caller,
  input: SimplePostInput,
  setSubject: (postId: string | null) => void,
): Promise<SimplePostResult> {
  const time = readScheduledFor({ scheduledFor: input.scheduled_for }, context.clock.now(), 'scheduled_for');
  const { results, platformIds } = await createPosts(context, caller, {
    text: input.text,
    connectionSlugs: [input.connectionSlug],
    scheduledFor: time?.toISOString(),
    rewrite: input.rewrite,
  });
  const [result] = results;
  const [platformId] = platformIds;
  if (result === undefined || platformId == null) throw new Error('a slug that matches had no result');
  setSubject(result.postId);
  if (result.error !== null) throw failureOf(result.error, result.postId);
  if (result.approval !== undefined && result.postId !== null) return { approval: 'pending', post_id: result.postId };
  if (result.scheduledFor !== null) return { scheduled: true, scheduled_for: result.scheduledFor };
  const { id, kind } = platformOf(context.platforms, platformId);
  return kind === 'messaging' ? { platform: id, sent: true } : { platform: id, link: result.url };
}

/** This endpoint has no status for an unknown outcome, and a caller must not treat it as a failure and send again. */
function failureOf({ code, message }: NonNullable<PostResult['error']>, postId: string | null): ServiceError {
  if (code !== 'outcome_unknown') return new ServiceError(code, message);
  return new ServiceError(
    'internal_server_error',
    `It is not known whether the post ${postId} went out. Look on the platform, and at GET /posts/${postId}, before sending it again.`,
    { retryable: false },
  );
}
