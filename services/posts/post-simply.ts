/** POST /post/{connectionSlug}: one text to one connection, failures as the request's own errors (spec: simple variant). */
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { readScheduledFor } from '../schedule/read-scheduled-for.ts';
import { createPosts } from './create-posts.ts';

export interface SimplePostInput {
  readonly connectionSlug: string;
  readonly text: string;
  readonly scheduled_for?: string | undefined;
  readonly rewrite?: boolean | undefined;
}

export type SimplePostResult =
  | { platform: string; link: string | null }
  | { platform: string; sent: true }
  | { scheduled: true; scheduled_for: string };

/**
 * @param about is told the id of the post, which the answer does not carry
 * @throws ServiceError invalid_request, invalid_connection, and whatever code the send failed with
 */
export async function postSimply(
  context: Context,
  caller: Caller,
  input: SimplePostInput,
  about: (postId: string | null) => void,
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
  about(result.postId);
  if (result.error !== null) throw new ServiceError(result.error.code, result.error.message);
  if (result.scheduledFor !== null) return { scheduled: true, scheduled_for: result.scheduledFor };
  const { id, kind } = platformOf(context.platforms, platformId);
  return kind === 'messaging' ? { platform: id, sent: true } : { platform: id, link: result.url };
}
