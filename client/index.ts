/**
 * The typed client of Carillon: every operation with its input and output types, webhooks, uploads and the stream of events.
 *
 * @example
 * const carillon = createClient({ url: 'https://bells.example', apiKey: process.env.CARILLON_KEY });
 * const { results } = await carillon.posts.create.mutate({ text: 'Hello', connectionSlugs: ['sandbox'] });
 */
export type { ErrorBody, ErrorCode, EventPayloads, Inputs, Outputs } from './api-types.ts';
export type { ConnectionOptions, KeyConnectionOptions, TokenConnectionOptions } from './connection.ts';
export { createClient, type CallOptions, type CarillonClient, type ClientOptions } from './create-client.ts';
export { CarillonError, errorBodyOf, hasErrorCode, NoAnswerError } from './errors.ts';
export { followEvents, type FollowOptions } from './follow-events.ts';
export type { RetryOptions } from './retry-policy.ts';
export type { Clock, Runtime } from './runtime.ts';
export { uploadMedia, type UploadOptions } from './upload-media.ts';
export { verifyWebhook, WebhookVerificationError, type VerifyOptions, type WebhookHeaders } from './verify-webhook.ts';
export type { EventName, StreamedEvent, WebhookEvent, WebhookEventOf } from './webhook-event.ts';
