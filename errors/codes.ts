/**
 * Every error code of the service, declared once. The HTTP status, the tRPC code, the responses in the OpenAPI
 * document, the page at /docs/errors and the retry advice all come from this table
 * (docs/contract/errors-and-limits.md#error-bodies).
 */
import type { ErrorSpec } from './error-spec.ts';
import { CONTROL_ERRORS } from './control-codes.ts';
import { ACCOUNT_ERRORS } from './account-codes.ts';
import { INSTALL_ERRORS } from './install-codes.ts';

export const ERRORS = {
  unauthorized: {
    status: 401,
    trpc: 'UNAUTHORIZED',
    message: 'The API key is missing, unknown or revoked.',
    hint: 'Send a valid key as "x-api-key: <key>" or "Authorization: Bearer <key>".',
    retryable: false,
  },
  invalid_request: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The request is malformed.',
    hint: 'Correct the field that the message names, then send the request again.',
    retryable: false,
  },
  invalid_connection: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'No connection of yours matches the slug.',
    hint: 'List your connections with GET /connections and use one of their slugs.',
    retryable: false,
  },
  shape_unsupported: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The platform does not support this kind of post.',
    hint: 'Leave the thread or the first comment out for this connection; GET /platforms lists what each platform supports.',
    retryable: false,
  },
  queue_empty: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The connection has no queue slots.',
    hint: 'Give the connection queue slots with PATCH /connections/{connectionId}/queue, or schedule the post with scheduledFor.',
    retryable: false,
    keepsDraft: true,
  },
  queue_full: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'Every queue slot of the next 30 days is taken.',
    hint: 'Add queue slots with PATCH /connections/{connectionId}/queue, cancel a queued post, or schedule the post with scheduledFor.',
    retryable: false,
    keepsDraft: true,
  },
  slot_missed: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The queue slot of this post passed without sending, and no other was free within 30 days.',
    hint: 'Add queue slots, then send the post again with POST /posts/{postId}/retry.',
    retryable: false,
  },
  schedule_missed: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The time of this post passed more than a day ago without sending.',
    hint: 'If it is still useful, send it again with POST /posts/{postId}/retry.',
    retryable: false,
  },
  invalid_media: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'An image id is malformed, or no image of yours has it.',
    hint: 'Upload the image with POST /media, or POST /media/from-url, and use the id of its answer.',
    retryable: false,
  },
  media_unsupported: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The platform of this connection does not support images.',
    hint: 'Leave the images out for this connection; GET /platforms lists the platforms that support them.',
    retryable: false,
  },
  media_type_mismatch: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'The bytes are not an image of the type that Content-Type names.',
    hint: 'Send the whole file, unchanged, with its actual Content-Type.',
    retryable: false,
  },
  delete_unsupported: {
    status: 400,
    trpc: 'BAD_REQUEST',
    message: 'This post cannot be deleted.',
    hint: 'Only scheduled posts, drafts, and sent posts on a platform with a delete can be deleted; GET /platforms lists the platforms that have one.',
    retryable: false,
  },
  payment_method_required: {
    status: 402,
    trpc: 'PAYMENT_REQUIRED',
    message: 'Posting to this platform costs a fee, and the account has no payment method.',
    hint: 'Ask the operator of this install to add a payment method to your account.',
    retryable: false,
    keepsDraft: true,
  },
  spend_cap_reached: {
    status: 402,
    trpc: 'PAYMENT_REQUIRED',
    message: 'The fees of this month have reached the spend cap of the account.',
    hint: 'Raise xSpendCapCents with PATCH /account, or wait for the next month.',
    retryable: false,
    keepsDraft: true,
  },
  connection_limit_exceeded: {
    status: 402,
    trpc: 'PAYMENT_REQUIRED',
    message: 'The plan allows no further active connection.',
    hint: 'Post to one of the connections that are active, or ask the operator of this install for another plan.',
    retryable: false,
    keepsDraft: true,
  },
  ...CONTROL_ERRORS,
  forbidden: {
    status: 403,
    trpc: 'FORBIDDEN',
    message: 'This key lacks the capability for this operation.',
    hint: 'Use an unscoped live key of the account; in the console, ask an owner of the account.',
    retryable: false,
  },
  fair_use_reached: {
    status: 403,
    trpc: 'FORBIDDEN',
    message: 'The posts that the plan allows a day are used up.',
    hint: 'Wait for the next UTC day, schedule the post, or ask the operator of this install for another plan.',
    retryable: false,
    keepsDraft: true,
  },
  limit_exceeded: {
    status: 403,
    trpc: 'FORBIDDEN',
    message: 'The limit for this kind of object is reached.',
    hint: 'Delete a profile, revoke a key or close a stream that is no longer needed; the message count restarts at 00:00 UTC. The message gives the limit.',
    retryable: false,
  },
  not_found: {
    status: 404,
    trpc: 'NOT_FOUND',
    message: 'Nothing of yours exists at this address.',
    hint: 'Check the id and the path; an object of another account or profile gives the same answer.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    trpc: 'METHOD_NOT_SUPPORTED',
    message: 'This path exists, but not with this method.',
    hint: 'Use one of the methods that the Allow header lists.',
    retryable: false,
  },
  connection_conflict: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'The target already holds this account on this platform.',
    hint: 'Use the connection that exists, delete it first, or choose another slug or profile.',
    retryable: false,
  },
  profile_external_id_conflict: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'Another profile already has this externalId.',
    hint: 'Use the profile that has it, or choose another externalId; deleting a profile frees its externalId.',
    retryable: false,
  },
  idempotency_key_conflict: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'This Idempotency-Key belongs to another request.',
    hint: 'Use a new key for a new request. If the first request may still be running, wait a few seconds and send it again unchanged.',
    retryable: false,
    retryableWhen: 'while the first request with this key and body is still running',
  },
  ...ACCOUNT_ERRORS,
  model_cannot_see: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'The model of this install does not take images.',
    hint: 'Write the alt text yourself, or ask the operator of this install for a model that sees (AI_SEES_IMAGES).',
    retryable: false,
  },
  media_in_use: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'A post that is not sent yet uses this image.',
    hint: 'Delete the post or remove the image from the draft first.',
    retryable: false,
  },
  post_not_cancellable: {
    status: 409,
    trpc: 'CONFLICT',
    message: 'A worker is sending this post at this moment, so it can no longer be cancelled.',
    hint: 'Read the post again in a few seconds; once it is sent it can be deleted on its platform.',
    retryable: false,
  },
  request_too_large: {
    status: 413,
    trpc: 'PAYLOAD_TOO_LARGE',
    message: 'The request body is too large.',
    hint: 'Send a smaller body; the message gives the limit.',
    retryable: false,
  },
  media_too_large: {
    status: 413,
    trpc: 'PAYLOAD_TOO_LARGE',
    message: 'The image is larger than 8 MiB.',
    hint: 'Send a smaller or more strongly compressed image.',
    retryable: false,
  },
  storage_full: {
    status: 413,
    trpc: 'PAYLOAD_TOO_LARGE',
    message: 'The images of this account would take more than 50 MiB.',
    hint: 'Delete images that no post uses (GET /media?unused=true) and those of cancelled posts with DELETE /media/{mediaId}. Images of posts are freed a day after the last attempt to send them, and those of a cancelled post a day after its time.',
    retryable: false,
  },
  unsupported_content_type: {
    status: 415,
    trpc: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'This endpoint does not accept this Content-Type.',
    hint: 'Use the Content-Type that the message names.',
    retryable: false,
  },
  media_unreachable: {
    status: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    message: 'No image could be read from this address.',
    hint: 'Send a public https URL that returns the image itself within 20 seconds, without a login.',
    retryable: false,
    retryableWhen: 'after a timeout, a 429 or a 5xx from the server of the image',
  },
  platform_rejected: {
    status: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    message: 'The platform refused the post.',
    hint: 'Change what the message names; the same request is refused again.',
    retryable: false,
    reportsRequestId: true,
  },
  reconnect_required: {
    status: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    message: 'The stored login of this connection is missing, expired or revoked.',
    hint: 'Connect the account again. Then send a failed post again with POST /posts/{postId}/retry, not as a new post: the retry first looks for its earlier sends.',
    retryable: false,
  },
  'too many requests': {
    status: 429,
    trpc: 'TOO_MANY_REQUESTS',
    message: 'Too many requests in one minute for this key and endpoint group.',
    hint: 'Wait until x-ratelimit-reset; if the answer has Retry-After, wait that many seconds.',
    retryable: true,
  },
  ...INSTALL_ERRORS,
  platform_unavailable: {
    status: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    message: 'The platform did not accept the post; nothing was posted.',
    hint: 'Try again later. Send a failed post again with POST /posts/{postId}/retry, not as a new post: the retry first looks for its earlier sends.',
    retryable: true,
  },
  outcome_unknown: {
    status: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    message: 'The send was interrupted and the platform cannot say whether the post went out.',
    hint: 'Look on the platform before sending it again.',
    retryable: false,
    reportsRequestId: true,
  },
} as const satisfies Record<string, ErrorSpec>;

/** One of the codes of the table. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether a draft stays a draft when publishing it is refused with this code. */
export function keepsDraft(code: ErrorCode): boolean {
  const spec: ErrorSpec = ERRORS[code];
  return spec.keepsDraft === true;
}

/** Whether the operator has to see the cause of an error with this code. */
export function isLogged(code: ErrorCode): boolean {
  const spec: ErrorSpec = ERRORS[code];
  return spec.isLogged === true;
}

/** All codes, in the table's order. */
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
