/**
 * Runs the checks of a request to post that need no lock: conflicting fields, the connections, and whether the post
 * fits each connection.
 */
import type { ItemError } from '../../errors/item-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { platformOf } from '../../platforms/registry.ts';
import {
  type PostTarget,
  type ResolvedSlug,
  resolveSlugs,
  type WithTargetLookups,
} from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import { stopsOfNew } from '../stops/find-stop.ts';
import { type CheckedMedia, checkMedia, type UnfetchedImage } from '../media/check-media.ts';
import type { PostIntent } from '../plans/admit-posts.ts';
import { readScheduledFor } from '../scheduling/read-scheduled-for.ts';
import { checkPost, type PostContent } from './check-post.ts';

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
  /** Ids of drafts whose place the new posts take. */
  readonly replaces?: readonly string[] | undefined;
  /** Text by platform id, in place of the shared one. */
  readonly textByPlatform?: Readonly<Record<string, string>> | undefined;
}

/** An image of a post. Only a preview has images that are not fetched yet. */
type PostImage = CheckedMedia | UnfetchedImage;

/** The parts of a request that all its posts share. */
export interface CheckedInput {
  readonly input: CreatePostsInput;
  readonly scheduledFor: Date | null;
  /** The images that are stored. */
  readonly media: readonly CheckedMedia[];
  /** All images, in their order. */
  readonly images: readonly PostImage[];
}

/** A slug, the connection that it names, if any, and the error when it gets no post. */
export interface CheckedSlug {
  readonly slug: string;
  readonly target: PostTarget | null;
  readonly error: ItemError | null;
}

/** Checks the content that all connections share. */
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
  const media = await checkMedia(context, caller, input.media ?? []);
  return { input, scheduledFor, media, images: media };
}

/** Finds each slug's connection and checks the post against it. */
export async function checkSlugs(
  context: Context & WithTargetLookups,
  caller: Caller,
  checked: CheckedInput,
): Promise<CheckedSlug[]> {
  const { connectionSlugs, profileId } = checked.input;
  const resolved = await resolveSlugs(context, caller, [...new Set(connectionSlugs)], profileId);
  // Most accounts have no stop, and then no further query.
  const asksForStop =
    checked.input.isDraft !== true && resolved.some((item) => 'target' in item && item.target.isNearStop);
  const stopOf = asksForStop ? await stopsOfNew(context.db.queries, creatorOf(caller)) : NO_STOP;
  return resolved.map((item) => checkSlug(context, item, checked, stopOf));
}

const NO_STOP = () => null;

function creatorOf(caller: Caller) {
  return { accountId: caller.accountId, creator: identityOf(caller).id };
}

function checkSlug(
  context: Context,
  resolved: ResolvedSlug,
  checked: CheckedInput,
  stopOf: (profileId: string | null) => ItemError | null,
): CheckedSlug {
  if ('error' in resolved) return { slug: resolved.slug, target: null, error: resolved.error };
  const { slug, target } = resolved;
  const platform = platformOf(context.platforms, target.platformId);
  const error = checkPost(context, platform, target.limits, contentFor(checked, target));
  return { slug, target, error: error ?? stopOf(target.profileId) };
}

/** Returns the content for one connection: the shared content, with the text of its platform if there is one. */
export function contentFor({ input, images }: CheckedInput, target: PostTarget): PostContent<PostImage> {
  return {
    text: input.textByPlatform?.[target.platformId] ?? input.text,
    thread: input.thread ?? [],
    firstComment: input.firstComment ?? null,
    images,
  };
}

/** The questions that the plan of the account answers about the posts of a request. */
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
