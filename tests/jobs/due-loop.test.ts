/** When a loop looks for due work: exactly when it is due, after a change of this process, and otherwise only regularly. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runDueLoop } from '../../jobs/due-loop.ts';
import type { Loop, LoopContext } from '../../jobs/loop.ts';
import { createRowChanges, mayChangeDueTimes } from '../../entities/row-changes.ts';

/** A loop on a clock that moves only with its own sleeps, with everything it asked and ran. */
function startLoop(options: { readonly reportsChanges: boolean; readonly due?: () => number | null }) {
  const changes = createRowChanges();
  const stopping = new AbortController();
  const sleeps: { readonly until: number; readonly wake: () => void }[] = [];
  const asked: number[] = [];
  const ran: number[] = [];
  let nowMs = 0;
  const clock = {
    now: () => new Date(nowMs),
    elapsed: () => nowMs,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(new Error('stopped'));
        sleeps.push({ until: nowMs + ms, wake: resolve });
        signal?.addEventListener('abort', () => {
          sleeps.splice(0);
          reject(new Error('stopped'));
        });
      }),
  };
  const loop: Loop = {
    name: 'loginRenewals',
    run: async () => {
      ran.push(nowMs);
      return 1;
    },
    nextDueAt: async () => {
      asked.push(nowMs);
      const due = options.due?.() ?? null;
      return due === null ? null : new Date(due);
    },
  };
  const db = { changes: { ...changes, isComplete: options.reportsChanges } };
  const context = { clock, db, log: { error: () => undefined } } as unknown as LoopContext;
  const ended = runDueLoop(context, loop, stopping.signal);
  return {
    asked,
    ran,
    changes,
    /** Moves to `ms`, from one sleep to the next. */
    goTo: async (ms: number) => {
      for (;;) {
        await vi.waitFor(() => expect(sleeps).toHaveLength(1), { interval: 1 });
        const [next] = sleeps;
        if (next === undefined || next.until > ms) break;
        sleeps.splice(0);
        nowMs = Math.max(next.until, nowMs);
        next.wake();
      }
      nowMs = ms;
    },
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

vi.mock('../../services/workers/record-run.ts', () => ({ recordRun: async () => undefined }));

let loop: ReturnType<typeof startLoop>;
afterEach(() => loop.stop());

describe('a worker that is told of every change', () => {
  it('asks six times a minute when nothing happens', async () => {
    loop = startLoop({ reportsChanges: true });

    await loop.goTo(59_999);

    expect(loop.asked).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000]);
    expect(loop.ran).toEqual([0]);
  });

  it('runs at the instant when work is due', async () => {
    loop = startLoop({ reportsChanges: true, due: () => (loop.ran.length > 1 ? null : 12_345) });

    await loop.goTo(13_000);

    expect(loop.ran).toEqual([0, 12_345]);
  });

  it('asks at once after a change, and once for several that follow each other', async () => {
    loop = startLoop({ reportsChanges: true });
    await loop.goTo(5_000);

    loop.changes.report();
    await vi.waitFor(() => expect(loop.asked).toEqual([0, 5_000]), { interval: 1 });
    for (let report = 0; report < 5; report += 1) loop.changes.report();
    await loop.goTo(6_000);

    expect(loop.asked).toEqual([0, 5_000, 5_250]);
  });
});

describe('a worker that is not told of changes of other processes', () => {
  it('asks four times a second', async () => {
    loop = startLoop({ reportsChanges: false });

    await loop.goTo(999);

    expect(loop.asked).toEqual([0, 250, 500, 750]);
  });
});

describe('mayChangeDueTimes', () => {
  it.each([
    ["insert into posts (id) values ('a')", true],
    ['with due as (select 1) update connections set renew_at = null', true],
    ['select * from posts', false],
    ["insert into worker_states (name) values ('x')", false],
  ])('%s: %s', (sql, expected) => {
    expect(mayChangeDueTimes(sql)).toBe(expected);
  });
});
