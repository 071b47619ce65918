/**
 * Sends the post of a request for approval under its id, as it was changed in Compose, so that the one who asked finds the
 * answer there. It goes out once: the service publishes a draft only once, and what an earlier try has sent is found.
 */
import type { Api, Inputs, Outputs } from '../../data/api-types.ts';
import { codeOf } from '../../data/problem.ts';
import type { AnsweringRequest, CreateInput } from './composition.ts';

type Post = Outputs['posts']['get']['post'];
type Answer = Outputs['posts']['create'];
type Result = Answer['results'][number];
type Changes = Omit<Inputs['posts']['update'], 'postId'>;

/**
 * Approves the post with the changes when it goes out as planned. With another time, or by a person who may not approve,
 * the draft is edited and published, and the service decides what that means for the request.
 */
export async function sendApproval(api: Api, request: AnsweringRequest): Promise<Answer> {
  const { key: idempotencyKey, input, approval } = request;
  const { postId } = approval;
  const { post } = await api.posts.get.query({ postId });
  const changes = changesIn(input, post);
  const isChanged = Object.keys(changes).length > 0;
  const sentAs = isChanged ? null : statusOfSent(post, request);
  if (sentAs !== null) return { results: [resultOf(post, sentAs)] };
  const approved = isDecided(post, request) ? await approve(api, request, changes) : null;
  if (approved !== null) return { results: [approved] };
  const { isDraft = false, scheduledFor, timezone, queue } = input;
  // An edit ends the request, so a refusal of what follows comes first.
  const verdict = isDraft ? undefined : (await api.posts.validate.mutate(input)).results[0];
  if (verdict?.error) return { results: [refusedResult(post, verdict.error)] };
  // The service refuses it when the post is no draft any more.
  if (isChanged || post.status !== 'draft') await api.posts.update.mutate({ postId, tags: post.tags, ...changes });
  if (isDraft) return { results: [resultOf(post, 'draft')] };
  try {
    const { result } = await api.posts.publish.mutate({ postId, scheduledFor, timezone, queue, idempotencyKey });
    const isRefused = result.status === 'draft' && result.error !== null;
    return { results: [isRefused ? refusedResult(post, result.error) : result] };
  } catch (failure) {
    if (codeOf(failure) !== 'not_found') throw failure;
    // It was published or deleted meanwhile; reading it again says which.
    return sendApproval(api, request);
  }
}

/** The status of a post that an earlier try has sent or scheduled as this request wants it, and whose answer was lost. */
function statusOfSent(
  { status, scheduledFor }: Post,
  { input, approval: { at } }: AnsweringRequest,
): Exclude<Result['status'], 'draft'> | null {
  if (status === 'sent' || status === 'failed') return status;
  if (status !== 'scheduled' || scheduledFor === null) return null;
  const isAtTime = at !== null && minuteOf(at) === minuteOf(Date.parse(scheduledFor));
  return input.queue === true || isAtTime ? status : null;
}

/** Fields of a time have no seconds. */
function minuteOf(instant: number): number {
  return Math.floor(instant / 60_000);
}

/** Whether to decide on the request. The service refuses to when it was decided, or a newer one waits that no one read here. */
function isDecided({ status, approval: latest }: Post, { input, approval }: AnsweringRequest): boolean {
  if (status !== 'draft' || latest?.requestedAt !== approval.requestedAt) return true;
  return latest.state === 'pending' && approval.followsPlan && input.isDraft !== true;
}

/** @returns null when the session may not decide */
async function approve(api: Api, { approval }: AnsweringRequest, changes: Changes): Promise<Result | null> {
  const { postId, requestedAt } = approval;
  try {
    return (await api.approvals.approve.mutate({ postId, requestedAt, ...changes })).result;
  } catch (failure) {
    if (codeOf(failure) !== 'forbidden') throw failure;
    return null;
  }
}

/** The fields that differ from the post. A first comment without the thread would remove the thread. */
export function changesIn(input: CreateInput, post: Post): Changes {
  const { text, thread = [], firstComment = null, tags = [], media = [] } = input;
  const variants: Readonly<Record<string, string>> = input.textByPlatform ?? {};
  const wanted: Changes[] = [
    { text: (variants[post.platformId] ?? text).trim() },
    { thread: thread.map((reply) => reply.trim()), firstComment },
    { tags: [...new Set(tags.map((tag) => tag.toLowerCase()))] },
    { media: media.map(({ id, altText }) => ({ id, altText: altText ?? '' })) },
  ];
  const present: Changes[] = [
    { text: post.originalText },
    { thread: post.thread, firstComment: post.firstComment },
    { tags: post.tags },
    { media: post.media.map(({ id, altText }) => ({ id, altText: altText ?? '' })) },
  ];
  const changed = wanted.filter((part, index) => JSON.stringify(part) !== JSON.stringify(present[index]));
  return Object.assign({}, ...changed) as Changes;
}

export function resultOf<Status extends Post['status']>(post: Post, status: Status) {
  const { connectionSlug, id: postId, url, scheduledFor, threadCount, hasFirstComment, error } = post;
  return { connectionSlug, status, postId, url, scheduledFor, threadCount, hasFirstComment, error };
}

/** The post stays a draft, so there is something left to send. */
function refusedResult(post: Post, error: Result['error']): Result {
  return { ...resultOf(post, 'failed'), postId: null, error };
}
