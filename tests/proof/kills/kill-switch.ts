/** Kills a server at a drawn step of its work, as its platforms, receivers and callers observe it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ServerProcess } from '../../crash/install.ts';
import type { WireCall, WireMoment, WireTap } from '../../platforms/fakes/wire.ts';
import type { Sampler } from '../../simulation/sampler.ts';

/** When to kill: at the nth call that reaches a moment, at the nth answer to a caller, or at an instant. */
export interface KillPlan {
  readonly moment: WireMoment | 'response' | 'time';
  /** From 1; unused for an instant. */
  readonly nth: number;
  /** How long after it. The call of `arrived` and `decided` is held meanwhile. */
  readonly delayMs: number;
}

/** Work that never reaches its moment is killed after this time. */
const PATIENCE_MS = 8_000;

/** For how long after an answer its outcome counts as being stored. */
const STORING_MS = 25;

export interface KillSwitch {
  readonly tap: WireTap;
  /** Counts a request as open until it is answered or fails. */
  request<Answer>(asked: Promise<Answer>): Promise<Answer>;
  /**
   * Kills the server as planned, and returns the step at which it was killed.
   *
   * @param ready from when its time and the patience count; at once when absent
   */
  kill(server: ServerProcess, plan: KillPlan, ready?: Promise<unknown>): Promise<string>;
}

interface KillSwitchOptions {
  /** What a call is, such as `create`; null for calls that no plan counts. */
  readonly nameOf: (call: WireCall) => string | null;
  /** How long calls take, at most. */
  readonly slowestMs: number;
  readonly sampler: Sampler;
}

interface Armed {
  readonly plan: KillPlan;
  readonly server: ServerProcess;
  readonly done: (step: string) => void;
  left: number;
}

export function createKillSwitch({ nameOf, slowestMs, sampler }: KillSwitchOptions): KillSwitch {
  const calls = new Map<WireCall, WireMoment>();
  let answered: { readonly name: string; readonly at: number } | undefined;
  let openRequests = 0;
  let armed: Armed | undefined;

  /** The step that the server is in, by the call that is furthest. */
  const presentStep = (): string => {
    const open = [...calls].map(([call, moment]) => ({ name: nameOf(call), moment }));
    const furthest = open.find(({ moment }) => moment === 'decided') ?? open[0];
    if (furthest?.name != null) return stepOf(furthest.name, furthest.moment);
    if (answered !== undefined && performance.now() - answered.at < STORING_MS)
      return stepOf(answered.name, 'answered');
    return openRequests > 0 ? 'request open, nothing called' : 'no call and no request open';
  };

  const pull = async ({ plan, server, done }: Armed, step?: string): Promise<void> => {
    armed = undefined;
    if (plan.delayMs > 0) await wait(plan.delayMs);
    const at = step ?? presentStep();
    await server.kill9();
    done(at);
  };

  const isHit = (moment: KillPlan['moment']): Armed | undefined => {
    if (armed?.plan.moment !== moment) return undefined;
    armed.left -= 1;
    return armed.left === 0 ? armed : undefined;
  };

  return {
    tap: async (moment, call) => {
      const name = nameOf(call);
      if (name === null) return undefined;
      calls.set(call, moment);
      if (moment === 'answered') {
        calls.delete(call);
        answered = { name, at: performance.now() };
      }
      const hit = isHit(moment);
      if (hit !== undefined) {
        await pull(hit, stepOf(name, moment));
        calls.delete(call);
        return moment === 'arrived' ? 'lost' : undefined;
      }
      if (moment === 'arrived') await wait(sampler.int(0, slowestMs));
      return undefined;
    },
    request: async (asked) => {
      openRequests += 1;
      try {
        return await asked;
      } finally {
        openRequests -= 1;
        const hit = isHit('response');
        if (hit !== undefined) void pull(hit, 'answered to the caller');
      }
    },
    kill: (server, plan, ready = Promise.resolve()) =>
      new Promise((resolve) => {
        const over = new AbortController();
        const mine: Armed = {
          plan,
          server,
          left: plan.nth,
          done: (step) => {
            over.abort();
            calls.clear();
            resolve(step);
          },
        };
        armed = mine;
        const pullAtLast = async () => {
          await ready.catch(() => undefined);
          await wait(plan.moment === 'time' ? plan.delayMs : PATIENCE_MS, undefined, { signal: over.signal });
          if (armed === mine) await pull({ ...mine, plan: { ...plan, delayMs: 0 } });
        };
        pullAtLast().catch(() => undefined);
      }),
  };
}

function stepOf(name: string, moment: WireMoment): string {
  if (moment === 'arrived') return `${name}: called, nothing stored there`;
  return moment === 'decided' ? `${name}: stored there, not answered` : `${name}: answered, being stored here`;
}
