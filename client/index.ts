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
  /** Most calls that one HTTP request carries. Default 20; the server takes 100. */
  readonly maxBatchSize?: number;
}

/** What a failed call says, under `error.data.error` of the TRPCClientError it throws. */
export type { ErrorBody } from '../errors/error-body.ts';

/** Makes a client. Calls made in the same turn of the event loop travel as one batch; each counts in its own bucket. */
export function createClient(options: ClientOptions): TRPCClient<AppRouter> {
  const { url, apiKey, maxBatchSize = 20 } = options;
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({ url: new URL('/trpc', url).href, maxItems: maxBatchSize, headers: { 'x-api-key': apiKey } }),
    ],
  });
}
