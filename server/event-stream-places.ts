/**
 * The streams of events that a process holds open, counted by key, account and in all. A key's first stream finds a
 * place that no other key's further streams can take.
 */
import { ServiceError } from '../errors/service-error.ts';
import type { Caller } from '../services/keys/caller.ts';

/** Streams of one key. */
export const STREAMS_PER_KEY = 5;

/** Beyond so many, only first streams of keys are admitted, up to twice as many. */
export const STREAMS_PER_ACCOUNT = 25;
const STREAMS_PER_PROCESS = 200;

export interface StreamPlaces {
  /**
   * Takes a place; to be given back, once, when the socket of the stream is closed.
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
  const message = `There are too many streams of events: ${which}. Close one and try again.`;
  return new ServiceError('limit_exceeded', message);
}
