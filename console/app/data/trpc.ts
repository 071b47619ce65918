/** The typed client of the app. */
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import type { ConsoleRouter } from '../../../routers/console.ts';
import type { Api } from './api-types.ts';
import { outlivingPage } from './keepalive.ts';
import { accessOf, type Session } from './session.ts';

export type { Api, Inputs, Outputs } from './api-types.ts';

/** `useTRPC()` gives `queryOptions`, `mutationOptions` and `queryKey` of each operation; `useTRPCClient()` the client. */
export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<ConsoleRouter>();

/** The server accepts 100 calls in one request. */
const BATCH_MAX = 20;

/** Longest address of a read; longer reads are split into several requests. */
const ADDRESS_MAX = 6_000;

/** Whether the browser is leaving the page. Then timers no longer run. */
let isLeaving = false;

// Before other listeners, which send what the page has announced.
window.addEventListener('pagehide', () => (isLeaving = true), { capture: true });
window.addEventListener('pageshow', () => (isLeaving = false));

/** Endless lists are read with a direction, which no operation takes: they all go one way. */
const leaveOutDirection: TRPCLink<ConsoleRouter> =
  () =>
  ({ op, next }) => {
    const { direction: _direction, ...input } = (op.input ?? {}) as Record<string, unknown>;
    return next({ ...op, input });
  };

export function createApi(session: Session): Api {
  const { trpcPath, headers, credentials } = accessOf(session);
  const options = {
    url: trpcPath,
    headers,
    // Browsers name the origin of a POST over plain http too, which the server checks with the cookie.
    ...(session.kind === 'person' && { methodOverride: 'POST' as const }),
  };
  const request = (url: string | URL | Request, init: object | undefined, keepalive: boolean) =>
    fetch(url, { ...(init as RequestInit), credentials, cache: 'no-store', keepalive });
  const reads = { ...options, fetch: (url: string | URL | Request, init?: object) => request(url, init, false) };
  // A change that was asked for is made, even if the page is left before the request has gone out.
  const changes = {
    ...options,
    fetch: (url: string | URL | Request, init?: object) =>
      outlivingPage((init as RequestInit | undefined)?.body, isLeaving, (keepalive) => request(url, init, keepalive)),
  };
  return createTRPCClient<ConsoleRouter>({
    links: [
      leaveOutDirection,
      splitLink({
        // A batch waits for a timer, which a page that is left no longer runs. The service takes a body as large as an image only alone.
        condition: ({ type }) => type === 'mutation' || isLeaving,
        true: httpLink(changes),
        false: httpBatchLink({ ...reads, maxItems: BATCH_MAX, maxURLLength: ADDRESS_MAX }),
      }),
    ],
  });
}
