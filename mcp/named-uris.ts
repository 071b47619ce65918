/** Finds the resources that a message names. */
import { isListenRequest, readListenRequest } from './listen-request.ts';

/** Addresses that a message reads or subscribes to; none where the SDK refuses the message. */
export function namedUris(message: unknown): readonly string[] {
  if (isListenRequest(message)) return readListenRequest(message)?.uris ?? [];
  const { method, params } = Object(message) as { method?: unknown; params?: { uri?: unknown } | null };
  return method === 'resources/read' && typeof params?.uri === 'string' ? [params.uri] : [];
}
