/** Reads a subscriptions/listen request, as far as the service decides on it; the SDK checks the rest. */

/** In `_meta` of the request: the position after which to continue. */
export const LAST_EVENT_META_KEY = 'carillon/lastEventId';

export interface ListenRequest {
  readonly id: string | number;
  /** Addresses of the resources to watch. */
  readonly uris: readonly string[];
  readonly lastEventId: string | undefined;
  /** The same request, for these addresses only. */
  narrowedTo(uris: readonly string[]): unknown;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly notifications?: { readonly resourceSubscriptions?: unknown } | null;
    readonly _meta?: Readonly<Record<string, unknown>> | null;
  } | null;
}

export function isListenRequest(body: unknown): boolean {
  return messageOf(body).method === 'subscriptions/listen';
}

/** @returns null for a request that the SDK refuses */
export function readListenRequest(body: unknown): ListenRequest | null {
  const message = messageOf(body);
  const { id, params } = message;
  const notifications = params?.notifications;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (typeof notifications !== 'object' || notifications === null) return null;
  const uris = notifications.resourceSubscriptions ?? [];
  if (!isTexts(uris)) return null;
  const lastEventId = params?._meta?.[LAST_EVENT_META_KEY];
  return {
    id,
    uris,
    // Any other value is no position that the service sent, and is refused as such.
    lastEventId:
      lastEventId === undefined || typeof lastEventId === 'string' ? lastEventId : JSON.stringify(lastEventId),
    narrowedTo: (resourceSubscriptions) => ({
      ...message,
      params: { ...params, notifications: { ...notifications, resourceSubscriptions } },
    }),
  };
}

function messageOf(body: unknown): Message {
  return Object(body) as Message;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
