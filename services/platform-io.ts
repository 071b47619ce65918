/** The dependencies that an adapter receives for one call. */
import type { PlatformIo } from '../platforms/contract.ts';
import type { Context } from './context.ts';

/** @param timeoutMs real time after which the call is aborted */
export function platformIo(context: Context, timeoutMs: number): PlatformIo {
  return {
    fetch: context.fetch,
    now: () => context.clock.now(),
    sleep: (ms, signal) => context.clock.sleep(ms, signal),
    signal: context.clock.deadline(timeoutMs),
    endpoints: context.config.endpoints,
    apps: context.config.apps,
    mail: context.mail,
  };
}
