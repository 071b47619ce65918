/** The error codes of an install that fails or cannot take work, a part of the table in codes.ts. */
import type { ErrorSpec } from './error-spec.ts';

export const INSTALL_ERRORS = {
  internal_server_error: {
    status: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    message: 'Something failed on our side. If this request was sending a post, the post may have been published.',
    hint: 'Check GET /posts before sending again, and quote req_id when you report it.',
    retryable: true,
    reportsRequestId: true,
    isLogged: true,
  },
  storage_unavailable: {
    status: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    message:
      'The storage of this install is full or does not answer. If this request was sending a post, the post may have been published.',
    hint: 'Check GET /posts before sending again. The operator of this install can see the cause in its log.',
    retryable: true,
    reportsRequestId: true,
    isLogged: true,
  },
  server_busy: {
    status: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    message: 'This install is at its capacity for this work; nothing was started.',
    hint: 'Send the request again after the seconds that Retry-After gives.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorSpec>;
