/** A request whose connection breaks while the service works on it. */
import { onTestFinished } from 'vitest';
import type { World } from './world.ts';

/** Holds every send of the world from now on, until it is released or the test ends. */
export function holdSends({ context: { sends } }: World): { readonly begun: Promise<void>; release(): void } {
  const { send } = sends;
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  sends.send = async (claimed) => {
    begun.resolve();
    await released.promise;
    return send.call(sends, claimed);
  };
  onTestFinished(() => void (sends.send = send));
  return { begun: begun.promise, release: released.resolve };
}

/** A fetch whose first request arrives, and whose connection breaks before the answer, once `begun` has resolved. */
export function breakingFirst<Parameters extends unknown[]>(
  fetching: (...parameters: Parameters) => Promise<Response>,
  begun: Promise<void>,
): (...parameters: Parameters) => Promise<Response> {
  let isFirst = true;
  return async (...parameters) => {
    const answer = fetching(...parameters);
    if (!isFirst) return answer;
    isFirst = false;
    await begun;
    void answer.catch(() => undefined);
    throw new TypeError('fetch failed');
  };
}
