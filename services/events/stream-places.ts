/**
 * Counts the event streams that a process holds open, of REST and MCP together: by key, by account and in total. The first stream of a key has
 * capacity reserved that further streams of other keys cannot use.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';

/** Most streams of one key. */
export const STREAMS_PER_KEY = 5;

/** Above this number only the first stream of each key is admitted, up to twice as many. */
export const STREAMS_PER_ACCOUNT = 25;
const STREAMS_PER_PROCESS = 200;

/** What all event streams of a process share. */
export interface EventStreamOptions {
  /** Aborts when the process is asked to stop: streams end then, and readers reconnect to another process. */
  readonly stopping: AbortSignal;
  readonly places: StreamPlaces;
}

export interface StreamPlaces {
  /**
   * Reserves a stream. Call the result once, when the stream uses no more memory.
   *
   * @throws ServiceError limit_exceeded
   */
  take(caller: Pick<Caller, 'accountId' | 'keyId'>): () => void;
}

export function createStreamPlaces(): StreamPlaces {
  const open = new Map<object, Pick<Caller, 'accountId' | 'keyId'>>();
  const count = (matches: (caller: Pick<Caller, 'accountId' | 'keyId'>) => boolean) =>
    [...open.values()].filter(matches).length;
  return {
    take: ({ accountId, keyId }) => {
      const ofKey = count((caller) => caller.keyId === keyId);
      const ofAccount = count((caller) => caller.accountId === accountId);
      const share = ofKey === 0 ? 2 : 1;
      if (ofKey >= STREAMS_PER_KEY) throw tooMany(`this key has ${ofKey}`);
      if (ofAccount >= share * STREAMS_PER_ACCOUNT) throw tooMany(`this account has ${ofAccount}`);
      if (open.size >= share * STREAMS_PER_PROCESS) throw tooMany(`all accounts have ${open.size}`);
      const place = {};
      open.set(place, { accountId, keyId });
      return () => open.delete(place);
    },
  };
}

function tooMany(which: string): ServiceError {
  const message = `Too many event streams are open: ${which}. Close one and try again.`;
  return new ServiceError('limit_exceeded', message);
}
