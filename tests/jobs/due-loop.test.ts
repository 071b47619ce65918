/** When a loop looks for due work: exactly when it is due, after a change of this process, and otherwise only regularly. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runDueLoop } from '../../jobs/due-loop.ts';
import type { Database } from '../../entities/orm.ts';
import type { Loop, LoopContext } from '../../jobs/loop.ts';
import { createRowChanges, mayChangeDueTimes } from '../../entities/row-changes.ts';

/** A loop on a clock that moves only with its own sleeps, with everything it asked and ran. */
function startLoop(options: {
  readonly reportsChanges: boolean;
  readonly due?: () => number | null;
  readonly engine?: Database['engine'];
  readonly name?: Loop['name'];
}) {
  const changes = createRowChanges();
  const stopping = new AbortController();
  const sleeps: { readonly until: number; readonly wake: () => void }[] = [];
  const asked: number[] = [];
  const ran: number[] = [];
  let nowMs = 0;
  /** By how much the machine's clock was set forward. */
  let setByMs = 0;
  const clock = {
    now: () => new Date(nowMs + setByMs),
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
    name: options.name ?? 'loginRenewals',
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
  const db = { engine: options.engine ?? 'postgres', changes: { ...changes, isComplete: options.reportsChanges } };
  const context = { clock, db, log: { error: () => undefined } } as unknown as LoopContext;
  const ended = runDueLoop(context, loop, stopping.signal);
  return {
    asked,
    ran,
    changes,
    setClockForward: (ms: number) => (setByMs += ms),
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
  it('asks once when nothing happens until its next regular round', async () => {
    loop = startLoop({ reportsChanges: true });

    await loop.goTo(59_999);

    expect(loop.asked).toEqual([0]);
    expect(loop.ran).toEqual([0]);
  });

  it.each([
    [
      'postgres',
      'ten seconds, because a process may die before it tells',
      [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000],
    ],
    ['pglite', 'minute, because there is no other process', [0, 60_000]],
  ] as const)('on %s runs every %s', async (engine, _why, ran) => {
    loop = startLoop({ reportsChanges: true, engine, name: 'scheduledPosts' });

    await loop.goTo(69_999);

    expect(loop.ran).toEqual(ran);
  });

  it('runs what is due within ten seconds after the clock was set forward, without asking until then', async () => {
    loop = startLoop({ reportsChanges: true, due: () => (loop.ran.length > 1 ? null : 3_600_000) });
    await loop.goTo(14_000);

    loop.setClockForward(3_600_000);
    await loop.goTo(19_000);
    expect(loop.asked).toEqual([0]);

    await loop.goTo(21_000);
    expect(loop.ran).toEqual([0, 20_000]);
  });

  it('asks again after ten seconds when the database did not answer', async () => {
    const fail = () => {
      throw new Error('the connection was lost');
    };
    loop = startLoop({ reportsChanges: true, due: () => (loop.asked.length === 1 ? fail() : null) });

    await loop.goTo(30_000);

    expect(loop.asked).toEqual([0, 10_000]);
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
