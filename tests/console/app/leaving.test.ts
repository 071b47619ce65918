/** What the console shows and has not asked for is asked for when its page is left. */
import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

/** The page: how it is used, and whether it is in sight. */
const page = { pointer: 'fine', visibilityState: 'visible' };
let leaving: typeof import('../../../console/app/data/leaving.ts');
let sent: string[];

beforeEach(async () => {
  const document = Object.defineProperty(new EventTarget(), 'visibilityState', { get: () => page.visibilityState });
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', document);
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === `(pointer: ${page.pointer})` }));
  vi.resetModules();
  leaving = await import('../../../console/app/data/leaving.ts');
  sent = [];
  onTestFinished(() => void vi.unstubAllGlobals());
});

/** Something that is shown for as long as it can be undone. */
function announce(what: string) {
  const stop = leaving.onLeave(() => {
    sent.push(what);
    stop();
  });
  return stop;
}

function turn(state: 'hidden' | 'visible', pointer: 'coarse' | 'fine') {
  Object.assign(page, { visibilityState: state, pointer });
  document.dispatchEvent(new Event('visibilitychange'));
}

it('all that was announced is asked for once when the page is left, and nothing that was undone', () => {
  announce('one');
  const undo = announce('two');
  announce('three');
  undo();

  window.dispatchEvent(new Event('pagehide'));
  window.dispatchEvent(new Event('pagehide'));

  expect(sent).toEqual(['one', 'three']);
});

it.each([
  ['on a phone', 'hidden', 'coarse', ['move']],
  ['on a phone that shows the page again', 'visible', 'coarse', []],
  ['on a computer, which lets timers run on', 'hidden', 'fine', []],
] as const)('what was announced is asked for when the page is out of sight: %s', (_where, state, pointer, expected) => {
  announce('move');

  turn(state, pointer);

  expect(sent).toEqual(expected);
});

describe('before a sign-out', () => {
  /** A change that is answered when the test says so. */
  function change(queryClient: QueryClient) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      const mutation = queryClient.getMutationCache().build(queryClient, { mutationFn: () => promise });
      void mutation.execute(undefined).catch(() => undefined);
    };
    return { start, answer: resolve, refuse: () => reject(new Error('no answer')) };
  }

  it.each(['answer', 'refuse'] as const)('what was announced is asked for, and has its end: %s', async (end) => {
    const queryClient = new QueryClient();
    const move = change(queryClient);
    leaving.onLeave(move.start);
    let isOver = false;
    const over = leaving.untilSent(queryClient).then(() => (isOver = true));

    await new Promise((resolve) => setImmediate(resolve));
    expect([queryClient.isMutating(), isOver]).toEqual([1, false]);
    move[end]();
    await over;

    expect(queryClient.isMutating()).toBe(0);
  });

  it('a change without an answer is waited for no longer than five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const queryClient = new QueryClient();
    change(queryClient).start();
    const over = leaving.untilSent(queryClient);

    await vi.advanceTimersByTimeAsync(5_000);
    await over;

    expect(queryClient.isMutating()).toBe(1);
  });

  it('nothing is waited for when no change is in flight', async () => {
    await leaving.untilSent(new QueryClient());

    expect(sent).toEqual([]);
  });
});
