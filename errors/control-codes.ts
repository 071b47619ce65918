/** Error codes of approvals and stops: what people decide about the posts of others. */
import type { ErrorSpec } from './error-spec.ts';

export const CONTROL_ERRORS = {
  stopped: {
    status: 403,
    trpc: 'FORBIDDEN',
    message: 'Sending is stopped.',
    hint: 'Write drafts, or ask an owner to release the stop, which GET /stops lists.',
    retryable: false,
    keepsDraft: true,
  },
  policy_refused: {
    status: 403,
    trpc: 'FORBIDDEN',
    message: 'The policy of this key or agent does not allow the post.',
    hint: 'The message names the rule, and from when the post is allowed if time helps. POST /posts/validate checks a post without sending it.',
    retryable: false,
    keepsDraft: true,
  },
  already_stopped: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'There is an active stop for this already.',
    hint: 'GET /stops lists it. Release it with POST /stops/{stopId}/release.',
    retryable: false,
  },
  approval_not_pending: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'The post does not wait for approval.',
    hint: 'Read the post with GET /posts/{postId}: its approval says what was decided, when and by whom. GET /approvals lists what waits.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorSpec>;
