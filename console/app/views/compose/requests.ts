/**
 * The requests that publish a composition. A slug is unique only within its profile, a request names at most 100
 * connections, and what a platform cannot have is left out for it; so there may be several.
 */
import type { Connection, Outputs } from '../../data/api-types.ts';
import { repeatsOf } from '../../ui/local-time.ts';
import { type ApprovalAnswer, type Composition, type Content, type CreateInput, tagsOf } from './composition.ts';

export type Platform = Outputs['platforms']['list']['platforms'][number];

/** Most connections that the service takes in one request. */
const SLUGS_MAX = 100;

/** A request, and the connections that its results are for, in the order of its slugs. */
export interface Planned {
  readonly input: CreateInput;
  readonly connections: readonly Connection[];
  /** Present when it sends the post of a request for approval. */
  readonly approval?: ApprovalAnswer | undefined;
}

export interface Directory {
  readonly connections: readonly Connection[];
  readonly platforms: ReadonlyMap<string, Platform>;
}

export function chosenOf({ targets }: Pick<Composition, 'targets'>, connections: readonly Connection[]): Connection[] {
  const wanted = new Set(targets);
  return connections.filter(({ id }) => wanted.has(id));
}

/** The requests without time and drafts: what is written. */
export function planRequests(composition: Composition, { connections, platforms }: Directory): Planned[] {
  const parts = partsOf(composition);
  const chosen = chosenOf(composition, connections);
  const groups = Map.groupBy(chosen, ({ profileId, platformId }) => {
    const { hasThread, hasComment } = shapeFor(parts, platformId, platforms);
    return JSON.stringify([profileId, hasThread, hasComment]);
  });
  return [...groups].flatMap(([key, members]) => {
    const [profileId, hasThread, hasComment] = JSON.parse(key) as [string | null, boolean, boolean];
    return inChunks(members).map((some): Planned => ({
      connections: some,
      input: {
        text: parts.text,
        connectionSlugs: some.map(({ slug }) => slug),
        ...(profileId !== null && { profileId }),
        ...(Object.keys(parts.variants).length > 0 && { textByPlatform: parts.variants }),
        ...(hasThread && { thread: parts.thread }),
        ...(hasComment && { firstComment: parts.firstComment }),
        ...(parts.tags.length > 0 && { tags: parts.tags }),
        ...(parts.media.length > 0 && { media: parts.media }),
        ...(composition.rewrite !== null && { rewrite: composition.rewrite }),
      },
    }));
  });
}

/** What the draft of a connection of this platform holds, once the service has stored the content. */
export function storedFor(content: Content, platformId: string, platforms: Directory['platforms']) {
  const parts = partsOf(content);
  const { text, variants, thread, firstComment, tags, media } = parts;
  const { hasThread, hasComment } = shapeFor(parts, platformId, platforms);
  return {
    text: (variants[platformId] ?? text).trim(),
    thread: hasThread ? thread.map((reply) => reply.trim()) : [],
    firstComment: hasComment ? firstComment : '',
    tags: [...new Set(tags.map((tag) => tag.toLowerCase()))],
    media,
    rewrite: content.rewrite,
  };
}

/** What goes with the text on a platform. */
function shapeFor(
  { variants, thread, firstComment }: ReturnType<typeof partsOf>,
  platformId: string,
  platforms: Directory['platforms'],
) {
  const platform = platforms.get(platformId);
  return {
    // A variant goes out alone where the platform has no threads; else the service says what does not fit.
    hasThread: thread.length > 0 && (platform?.thread !== false || !(platformId in variants)),
    hasComment: firstComment !== '' && platform?.firstComment !== false,
  };
}

function partsOf({ text, variants, thread, firstComment, tags, images }: Content) {
  const written = Object.entries(variants).filter(([, words]) => words.trim() !== '');
  return {
    // A text that only has variants still needs a shared one; the first variant is used.
    text: text.trim() === '' ? (written[0]?.[1] ?? '') : text,
    variants: Object.fromEntries(written),
    thread: thread.filter((reply) => reply.trim() !== ''),
    firstComment: firstComment?.trim() ?? '',
    tags: tagsOf(tags),
    media: images.map(({ id, altText }) => ({ id, altText })),
  };
}

/** The fields that say when it goes out. */
export function whenFields(
  composition: Pick<Composition, 'when' | 'time' | 'isSecond' | 'zone'>,
): Partial<CreateInput> {
  const { when, time, zone } = composition;
  if (when === 'draft') return { isDraft: true };
  if (when === 'queue') return { queue: true };
  if (when === 'now' || time === '') return {};
  // The service reads a wall time as the first of two, so the second goes as an instant.
  const second = composition.isSecond ? repeatsOf(composition, zone)[1] : undefined;
  if (second !== undefined) return { scheduledFor: new Date(second).toISOString() };
  return { scheduledFor: time, timezone: zone };
}

/** Adds which drafts each request takes the place of. The first one also takes those of connections no longer chosen. */
export function withReplaced(planned: readonly Planned[], drafts: Composition['drafts']): Planned[] {
  const named = new Set(planned.flatMap(({ connections }) => connections.map(({ id }) => id)));
  const left = Object.entries(drafts).flatMap(([id, postId]) => (named.has(id) ? [] : [postId]));
  return planned.map(({ input, connections }, index) => {
    const own = connections.flatMap(({ id }) => drafts[id] ?? []);
    const replaces = index === 0 ? [...own, ...left] : own;
    return { connections, input: replaces.length === 0 ? input : { ...input, replaces } };
  });
}

function inChunks(connections: readonly Connection[]): Connection[][] {
  const count = Math.ceil(connections.length / SLUGS_MAX);
  return Array.from({ length: count }, (_, index) => connections.slice(index * SLUGS_MAX, (index + 1) * SLUGS_MAX));
}
