/** A reader of GET /events. */
import { onTestFinished } from 'vitest';
import { type EventMessage, eventMessages } from '../../client/event-messages.ts';
import type { World } from './world.ts';

export interface EventReader {
  readonly response: Response;
  /** The next `count` messages that have data; fewer when the stream ends before. */
  next(count: number): Promise<EventMessage[]>;
  /** The id of the next message without data that has one. */
  heartbeat(): Promise<string | undefined>;
  /** Resolves when the server has ended the stream. */
  ended(): Promise<void>;
  /** The id that a reader has before its first event. */
  readonly beginning: string | undefined;
  close(): void;
}

/**
 * Opens a stream and waits until it is established, so that every later event is in it.
 *
 * @param key an API key or an access token
 */
export async function listenTo(world: Pick<World, 'url'>, key: string, lastEventId?: string): Promise<EventReader> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${world.url}/api/v2/events`, {
    headers: {
      ...(key.startsWith('crl_') ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`no stream: ${await response.text()}`);
  const messages = eventMessages(response.body);
  const opening = await messages.next();
  const next = async (count: number) => {
    const read: EventMessage[] = [];
    while (read.length < count) {
      const { done, value } = await messages.next();
      if (done === true) break;
      if (value.data !== undefined) read.push(value);
    }
    return read;
  };
  return {
    response,
    next,
    heartbeat: async () => {
      for await (const { id, data } of messages) if (data === undefined && id !== undefined) return id;
      return undefined;
    },
    ended: async () => {
      await next(Infinity);
    },
    beginning: opening.value?.id,
    close: () => leaving.abort(),
  };
}
