/** Shows what AI polish makes of a text for one connection. Nothing is stored or sent. */
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import { resolveSlugs } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import { tryRewrite } from '../polish/rewrite-text.ts';

export interface RewriteRequest {
  /** Trimmed, not empty. */
  readonly text: string;
  readonly connectionSlug: string;
  readonly profileId?: string | undefined;
}

export interface RewritePreview {
  status: 'rewritten' | 'failed';
  /** The rewrite, or the text as it was. */
  text: string;
  /** Why there is no rewrite; null when there is one. */
  reason: string | null;
}

/** @throws ServiceError invalid_connection when the slug names no connection of the caller's */
export async function previewRewrite(
  context: Context,
  caller: Caller,
  { text, connectionSlug, profileId }: RewriteRequest,
): Promise<RewritePreview> {
  const [resolved] = await resolveSlugs(context, caller, [connectionSlug], profileId);
  if (resolved === undefined || 'error' in resolved) {
    throw new ServiceError('invalid_connection', resolved?.error.message);
  }
  const { platformId, limits } = resolved.target;
  const platform = platformOf(context.platforms, platformId);
  const attempt = await tryRewrite(context, { postId: null, text, platform, limits });
  return attempt.status === 'rewritten'
    ? { ...attempt, reason: null }
    : { status: 'failed', text, reason: attempt.reason };
}
