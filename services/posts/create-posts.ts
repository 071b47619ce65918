/**
 * Publishes one text to several connections, now, at a time, or as drafts. What validation refuses
 * stores nothing; what passes is stored together with the idempotency record, and immediate posts
 * answer when their platform has answered, all of them side by side (spec: POST /posts).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import { type PostTarget, type ResolvedSlug, resolveSlugs } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import { complete, type KeptResult, type KeyedRequest, replay, storeOnce } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { checkMedia } from '../media/check-media.ts';
import { holdMedia } from '../media/hold-media.ts';
import { readScheduledFor } from '../schedule/read-scheduled-for.ts';
import { timestamp } from '../timestamp.ts';
import { checkPost, type PostContent } from './check-post.ts';
import { openResult, outcomeResult, type PostResult, refusedResult } from './post-result.ts';
import type { PartError } from './send-part.ts';
import { drawUpPosts, type NewPost, type StoredPost, storePosts } from './store-posts.ts';

export interface CreatePostsInput {
  /** Trimmed, not empty. */
  readonly text: string;
  readonly connectionSlugs: readonly string[];
  readonly scheduledFor?: string | undefined;
  readonly timezone?: string | undefined;
  readonly queue?: boolean | undefined;
  readonly media?: readonly { readonly id: string; readonly altText?: string | undefined }[] | undefined;
  readonly thread?: readonly string[] | undefined;
  readonly firstComment?: string | undefined;
  readonly isDraft?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly profileId?: string | undefined;
  readonly rewrite?: boolean | undefined;
  /** Text by platform id, in place of the shared one. */
  readonly textByPlatform?: Readonly<Record<string, string>> | undefined;
}

/** Results in the order of the slugs, and the platform each is about; null where a slug names no connection. */
export interface CreatedPosts {
  readonly results: readonly PostResult[];
  readonly platformIds: readonly (string | null)[];
  /** True when the answer is that of an earlier request under the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** What the posts of a request have in common. */
export interface CheckedInput {
  readonly input: CreatePostsInput;
  readonly scheduledFor: Date | null;
  readonly media: readonly { readonly id: string; readonly altText: string | null }[];
}

/** A slug, the connection it names if any, and why it gets no post if so. */
export interface CheckedSlug {
  readonly slug: string;
  readonly target: PostTarget | null;
  readonly error: PartError | null;
}

/**
 * @param keyed present when the request came with an Idempotency-Key
 * @throws ServiceError invalid_request (time, conflicts), invalid_media, invalid_connection (no slug
 *   matches), idempotency_key_conflict
 */
export async function createPosts(
  context: Context,
  caller: Caller,
  input: CreatePostsInput,
  keyed: KeyedRequest | null = null,
): Promise<CreatedPosts> {
  const earlier = keyed === null ? null : await replay(context, caller, keyed);
  if (earlier !== null) return { results: earlier, platformIds: earlier.map(() => null), replayed: true };
  const checked = await checkInput(context, caller, input);
  const slugs = await checkSlugs(context, caller, checked);
  refuseUnlessOneMatches(slugs);
  const platformIds = slugs.map(({ target }) => target?.platformId ?? null);
  const accepted = slugs.filter(({ target, error }) => target !== null && error === null);
  const { media } = checked;
  const posts = accepted.map(({ target }) => newPost(caller, checked, target as PostTarget));
  const drawn = drawUpPosts(context, posts);
  const byTarget = new Map(posts.map(({ target }, index) => [target.id, drawn[index] as StoredPost]));
  const kept = slugs.map((slug) => keptResult(slug, byTarget.get(slug.target?.id ?? ''), checked));
  const recordId = keyed === null ? null : context.random.uuid();
  const stored = await storeOnce(context, caller, keyed, recordId, kept, (em) =>
    withMedia(em, media, (inner) => storePosts(context, inner, posts, drawn, recordId)),
  );
  // Another request under the same key was faster: what it does counts.
  if (!stored) return createPosts(context, caller, input, keyed);
  const results = await Promise.all(
    kept.map(async (result, index) => {
      return 'pending' in result ? sendNow(context, slugs[index]?.slug ?? '', drawn, result.pending) : result;
    }),
  );
  if (recordId !== null) await complete(context, recordId, results);
  return { results, platformIds, replayed: false };
}

/** Images must not be deleted between their check and the post that names them: then both happen in one transaction. */
function withMedia(
  em: SqlEntityManager,
  media: CheckedInput['media'],
  store: (em: SqlEntityManager) => Promise<void>,
): Promise<void> {
  if (media.length === 0) return store(em);
  return em.transactional(async (inner: SqlEntityManager) => {
    await holdMedia(
      inner,
      media.map(({ id }) => id),
    );
    await store(inner);
  });
}

/** Checks what the connections have in common. */
export async function checkInput(context: Context, caller: Caller, input: CreatePostsInput): Promise<CheckedInput> {
  const waits = input.scheduledFor !== undefined || input.queue === true;
  if (input.scheduledFor !== undefined && input.queue === true) {
    throw new ServiceError('invalid_request', 'queue: cannot be combined with scheduledFor; send one of the two.');
  }
  if (input.isDraft === true && waits) {
    throw new ServiceError(
      'invalid_request',
      'isDraft: a draft takes no time and no slot; give them when you publish it.',
    );
  }
  const scheduledFor = readScheduledFor(input, context.clock.now());
  return { input, scheduledFor, media: await checkMedia(context, caller, input.media ?? []) };
}

/** Finds each slug's connection and checks the post against it. */
export async function checkSlugs(context: Context, caller: Caller, checked: CheckedInput): Promise<CheckedSlug[]> {
  const { connectionSlugs, profileId } = checked.input;
  const resolved = await resolveSlugs(context, caller, [...new Set(connectionSlugs)], profileId);
  return resolved.map((item) => checkSlug(context, item, checked));
}

function refuseUnlessOneMatches(slugs: readonly CheckedSlug[]): void {
  if (slugs.some(({ target }) => target !== null)) return;
  const reasons = slugs.map(({ error }) => error?.message ?? '').slice(0, 5);
  throw new ServiceError('invalid_connection', reasons.join(' '));
}

function checkSlug(context: Context, resolved: ResolvedSlug, checked: CheckedInput): CheckedSlug {
  if ('error' in resolved) return { slug: resolved.slug, target: null, error: resolved.error };
  const { slug, target } = resolved;
  const platform = platformOf(context.platforms, target.platformId);
  const error = checkPost(platform, target.limits, contentFor(checked, target)) ?? queueError(checked.input, slug);
  return { slug, target, error };
}

/** What goes to one connection: the shared content, with the text of its platform if it has one. */
export function contentFor({ input, media }: CheckedInput, target: PostTarget): PostContent {
  return {
    text: input.textByPlatform?.[target.platformId] ?? input.text,
    thread: input.thread ?? [],
    firstComment: input.firstComment ?? null,
    mediaCount: media.length,
  };
}

// Connections have no slots yet, so every queue is empty.
function queueError(input: CreatePostsInput, slug: string): PartError | null {
  if (input.queue !== true) return null;
  return {
    code: 'queue_empty',
    message: `The connection "${slug}" has no queue slots; set some, or give scheduledFor.`,
  };
}

function newPost(caller: Caller, checked: CheckedInput, target: PostTarget): NewPost {
  const { input, scheduledFor, media } = checked;
  const { text, thread, firstComment } = contentFor(checked, target);
  return {
    accountId: caller.accountId,
    target,
    mode: caller.mode,
    text,
    thread,
    firstComment,
    tags: input.tags ?? [],
    rewrite: input.rewrite ?? null,
    media,
    status: input.isDraft === true ? 'draft' : scheduledFor === null ? 'processing' : 'scheduled',
    scheduledFor,
  };
}

function keptResult({ slug, error }: CheckedSlug, post: StoredPost | undefined, checked: CheckedInput): KeptResult {
  if (post === undefined) return refusedResult(slug, error as PartError);
  if (post.claimed !== null) return { pending: post.id };
  const { scheduledFor } = checked;
  if (scheduledFor === null) return { ...openResult(slug, post.id), status: 'draft' };
  return { ...openResult(slug, post.id), status: 'scheduled', scheduledFor: timestamp(scheduledFor) };
}

async function sendNow(
  context: Context,
  slug: string,
  drawn: readonly StoredPost[],
  postId: string,
): Promise<PostResult> {
  const claimed = drawn.find(({ id }) => id === postId)?.claimed ?? null;
  if (claimed === null) throw new Error(`post ${postId} was not claimed`);
  return outcomeResult(slug, postId, await context.sends.send(claimed));
}
