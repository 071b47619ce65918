/** Shows what AI polish makes of a text for one connection, in one or several wordings. Nothing is stored or sent. */
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import { resolveSlugs, type WithTargetLookups } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import { findVoice } from '../polish/find-voice.ts';
import { type RewriteAttempt, tryRewrite } from '../polish/rewrite-text.ts';

/** Most wordings of one request: each is a call of the model. */
export const VARIANTS_MAX = 5;

export interface RewriteRequest {
  /** Trimmed, not empty. */
  readonly text: string;
  readonly connectionSlug: string;
  readonly profileId?: string | undefined;
  /** 1 to {@link VARIANTS_MAX}; left out for one wording and an answer without a list. */
  readonly variants?: number | undefined;
}

export type RewriteVariant =
  | { status: 'rewritten'; text: string; reason: null }
  | { status: 'dropped'; text: null; reason: string };

export interface RewritePreview {
  status: 'rewritten' | 'failed';
  /** The first usable rewrite, or the text as it was. */
  text: string;
  /** Why there is no rewrite; null when there is one. */
  reason: string | null;
  /** One entry for each wording that was asked for; absent when no number was given. */
  variants?: RewriteVariant[];
}

/** @throws ServiceError invalid_connection when the slug names no connection of the caller's */
export async function previewRewrite(
  context: Context & WithTargetLookups,
  caller: Caller,
  { text, connectionSlug, profileId, variants }: RewriteRequest,
): Promise<RewritePreview> {
  const [resolved] = await resolveSlugs(context, caller, [connectionSlug], profileId);
  if (resolved === undefined || 'error' in resolved) {
    throw new ServiceError('invalid_connection', resolved?.error.message);
  }
  const { target } = resolved;
  const outgoing = {
    postId: null,
    text,
    platform: platformOf(context.platforms, target.platformId),
    limits: target.limits,
    voice: await findVoice(context, caller.accountId, target.profileId),
  };
  const count = variants ?? 1;
  const attempts = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      tryRewrite(context, { ...outgoing, variant: { number: index + 1, count } }),
    ),
  );
  const first = attempts.find((attempt) => attempt.status === 'rewritten');
  const failed = attempts.find((attempt) => attempt.status === 'failed');
  return {
    ...(first === undefined
      ? { status: 'failed', text, reason: failed?.reason ?? null }
      : { status: 'rewritten', text: first.text, reason: null }),
    ...(variants !== undefined && { variants: variantsOf(attempts) }),
  };
}

/** Two equal wordings are one choice. */
function variantsOf(attempts: readonly RewriteAttempt[]): RewriteVariant[] {
  const seen = new Set<string>();
  return attempts.map((attempt) => {
    if (attempt.status === 'failed') return { status: 'dropped', text: null, reason: attempt.reason };
    if (seen.has(attempt.text))
      return { status: 'dropped', text: null, reason: 'An earlier variant has the same text.' };
    seen.add(attempt.text);
    return { ...attempt, reason: null };
  });
}
