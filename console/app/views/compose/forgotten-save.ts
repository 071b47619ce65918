/**
 * Finds the drafts of a save without an answer that is too old to repeat: the service may have forgotten its keys. Drafts that
 * were stored nevertheless would stay beside those of the next save, and could be published again.
 */
import type { Api, Outputs } from '../../data/api-types.ts';
import { codeOf } from '../../data/problem.ts';
import type { CreateInput, Pending } from './composition.ts';
import { type ListedPost, listPosts, REQUESTS_MAX } from './listed-posts.ts';
import { changesIn } from './send-approval.ts';

/** How far the clocks of browser and service may be apart. */
const SLACK_MS = 3_600_000;

/** Longest time after which a repeated request arrives. */
const REPEATED_MS = 86_400_000;

/**
 * Finds drafts that say what the requests said, and were stored when those were sent.
 *
 * @param taken ids of drafts that other texts have
 * @returns the drafts of each request, one per connection; none when the session may not read posts
 * @throws when they cannot be read now
 */
export async function findSaved(
  api: Api,
  { startedAt, requests }: Pending,
  taken: ReadonlySet<string>,
): Promise<readonly ListedPost[][]> {
  // What an older version of the console stored has no time.
  if (!Number.isFinite(startedAt)) return requests.map(() => []);
  const listed = await draftsOf(api, startedAt);
  const free = listed.filter(({ id, approval }) => !taken.has(id) && approval === null);
  const alike = requests.map(({ input }) => ({
    input,
    posts: onePerConnection(free.filter((post) => isAlike(post, input))),
  }));
  // So many drafts with one text, of one day, are those of the save.
  if (alike.flatMap(({ posts }) => posts).length > REQUESTS_MAX) return alike.map(({ posts }) => posts);
  return Promise.all(alike.map(({ input, posts }) => onlyEqual(api, posts, input)));
}

async function draftsOf(api: Api, startedAt: number): Promise<ListedPost[]> {
  const from = new Date(startedAt - SLACK_MS).toISOString();
  const to = new Date(startedAt + REPEATED_MS + SLACK_MS).toISOString();
  try {
    return await listPosts(api, { status: 'draft', from, to });
  } catch (failure) {
    if (codeOf(failure) === 'forbidden') return [];
    throw failure;
  }
}

/** As far as a list says it. */
function isAlike({ connectionSlug, profileId, originalText }: ListedPost, input: CreateInput): boolean {
  const texts = [input.text, ...Object.values(input.textByPlatform ?? {})].map((text) => text.trim());
  const isNamed = input.connectionSlugs.includes(connectionSlug) && profileId === (input.profileId ?? null);
  return isNamed && texts.includes(originalText);
}

/** The oldest of each: the save was sent before anything that repeats its text. */
function onePerConnection(newestFirst: readonly ListedPost[]): ListedPost[] {
  return [...new Map(newestFirst.map((post) => [post.connectionSlug, post])).values()];
}

/** Those that say all of it. */
async function onlyEqual(api: Api, posts: readonly ListedPost[], input: CreateInput): Promise<ListedPost[]> {
  const read = await Promise.all(posts.map(({ id }) => readPost(api, id)));
  return read.flatMap((post) => (post !== null && Object.keys(changesIn(input, post)).length === 0 ? [post] : []));
}

/** @returns null when it is gone since it was listed */
async function readPost(api: Api, postId: string): Promise<Outputs['posts']['get']['post'] | null> {
  try {
    return (await api.posts.get.query({ postId })).post;
  } catch (failure) {
    if (codeOf(failure) === 'not_found') return null;
    throw failure;
  }
}
