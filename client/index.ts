/**
 * The typed client: every operation of the service with its input and output types, over /trpc.
 *
 * @example
 * const carillon = createClient({ url: 'https://bells.example', apiKey: process.env.CARILLON_KEY });
 * const { results } = await carillon.posts.create.mutate({ text: 'Hello', connectionSlugs: ['sandbox'] });
 */
import { createTRPCClient, httpBatchLink, type TRPCClient } from '@trpc/client';
import type { AppRouter } from '../routers/index.ts';

export type { AppRouter };
export {
  verifyWebhook,
  WebhookVerificationError,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
} from './verify-webhook.ts';

export interface ClientOptions {
  /** Origin of the install, e.g. `https://bells.example`. */
  readonly url: string;
  /** A key of the account; sent as x-api-key. */
  readonly apiKey: string;
  /** Most calls in one HTTP request. Default 20; the server accepts 100. */
  readonly maxBatchSize?: number;
}

/** The error of a failed call, under `error.data.error` of the thrown TRPCClientError. */
export type { ErrorBody } from '../errors/error-body.ts';

/**
 * Creates a client. Calls made in the same turn of the event loop are sent as one batch; each counts in its own bucket.
 */
export function createClient(options: ClientOptions): TRPCClient<AppRouter> {
  const { url, apiKey, maxBatchSize = 20 } = options;
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({ url: new URL('/trpc', url).href, maxItems: maxBatchSize, headers: { 'x-api-key': apiKey } }),
    ],
  });
}
