/** What the client takes from the machine, from what a command takes. */
import type { Runtime } from '../client/runtime.ts';
import type { Io } from './io.ts';

interface Parts extends Pick<Io, 'fetch' | 'clock'> {
  readonly random: Pick<Io['random'], 'bytes'>;
}

export function clientRuntime({ fetch: request, clock, random }: Parts): Required<Runtime> {
  return {
    fetch: (url, init) => request(url, init),
    clock: { now: () => clock.now().getTime(), sleep: (ms, signal) => clock.sleep(ms, signal) },
    random: (length) => random.bytes(length),
  };
}
