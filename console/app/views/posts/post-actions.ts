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
    run: (api, postId) => api.posts.delete.mutate({ postId, ifStatus: 'scheduled' }),
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
    run: (api, postId) => api.posts.delete.mutate({ postId, ifStatus: 'sent' }),
  },
  deleteDraft: {
    label: 'Delete draft',
    done: 'deleted',
    isFinal: true,
    appliesTo: ({ status }) => status === 'draft',
    run: (api, postId) => api.posts.delete.mutate({ postId, ifStatus: 'draft' }),
  },
};

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
