/** What can be done with a post, by its status: the one place that knows which operation applies. */
import { asOneIntention } from '../../data/intentions.ts';
import { ResultFailure } from '../../data/problem.ts';
import type { Api, Outputs } from '../../data/api-types.ts';

export type Post = Outputs['posts']['list']['posts'][number];

export type ActionName = 'cancel' | 'retry' | 'takeDown' | 'deleteDraft' | 'publish';

export interface PostAction {
  readonly label: string;
  /** In the past tense, for messages. */
  readonly done: string;
  /** Whether it cannot be undone. */
  readonly isFinal: boolean;
  appliesTo(post: Pick<Post, 'status' | 'error'>): boolean;
  run(api: Api, postId: string): Promise<unknown>;
}

/** Whether the post may be on the platform although its send failed. Only a person who has looked there sends it again. */
export function hasUnknownOutcome({ error }: Pick<Post, 'error'>): boolean {
  return error?.code === 'outcome_unknown';
}

export const POST_ACTIONS: Readonly<Record<ActionName, PostAction>> = {
  cancel: {
    label: 'Cancel',
    done: 'cancelled',
    isFinal: true,
    appliesTo: ({ status }) => status === 'scheduled',
    run: (api, postId) => deleteIn(api, postId, ['scheduled', 'cancelled'], 'cancelled'),
  },
  retry: {
    label: 'Retry',
    done: 'sent again',
    isFinal: false,
    appliesTo: (post) => post.status === 'failed' && !hasUnknownOutcome(post),
    run: async (api, postId) => refuseFailed((await api.posts.retry.mutate({ postId })).result),
  },
  publish: {
    label: 'Publish now',
    done: 'published',
    isFinal: true,
    appliesTo: ({ status }) => status === 'draft',
    run: async (api, postId) =>
      refuseFailed(
        await asOneIntention(`publish:${postId}`, { postId }, async (idempotencyKey) => {
          const { result } = await api.posts.publish.mutate({ postId, idempotencyKey });
          return result;
        }),
      ),
  },
  takeDown: {
    label: 'Take down',
    done: 'taken down',
    isFinal: true,
    appliesTo: ({ status }) => status === 'sent',
    run: (api, postId) => api.posts.delete.mutate({ postId }),
  },
  deleteDraft: {
    label: 'Delete draft',
    done: 'deleted',
    isFinal: true,
    appliesTo: ({ status }) => status === 'draft',
    run: (api, postId) => deleteIn(api, postId, ['draft'], 'deleted'),
  },
};

/**
 * Deletes a post that still has one of these statuses. The page may show an earlier one, and a delete does what is right for the
 * present one: it takes down a scheduled post that has gone out since, which the person did not ask for.
 */
async function deleteIn(api: Api, postId: string, statuses: readonly Post['status'][], done: string): Promise<unknown> {
  const { status } = (await api.posts.get.query({ postId })).post;
  if (statuses.includes(status)) return api.posts.delete.mutate({ postId });
  const message = `This post is ${status} by now, so it was not ${done}.`;
  throw new ResultFailure({ code: 'post_not_cancellable', message });
}

function refuseFailed(result: Outputs['posts']['retry']['result']): void {
  if (result.error !== null) throw new ResultFailure(result.error);
}

/** Sends a post again whose queue slot passed. */
export const RETRY_IN_QUEUE: PostAction = {
  label: 'Into the next slot',
  done: 'queued again',
  isFinal: false,
  appliesTo: ({ status }) => status === 'failed',
  run: async (api, postId) => refuseFailed((await api.posts.retry.mutate({ postId, queue: true })).result),
};

/** Sends a post of unknown outcome again, after a person has looked on the platform. */
export const FORCED_RETRY: PostAction = {
  label: 'Send again all the same',
  done: 'sent again',
  isFinal: true,
  appliesTo: hasUnknownOutcome,
  run: async (api, postId) => refuseFailed((await api.posts.retry.mutate({ postId, force: true })).result),
};
