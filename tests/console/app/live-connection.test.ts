/** How the console learns of changes: from its stream, and by asking where the stream does not report them. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectLive } from '../../../console/app/data/live/live-connection.ts';
import type { Session } from '../../../console/app/data/session.ts';

const SECOND = 1_000;
const PERSON: Session = { kind: 'person', csrf: 'token', person: { email: 'a@b.c', role: 'owner', scopes: null } };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A page that is connected to a stream, which sends a sign of life every 10 seconds until it is ended. */
function connect(session: Session) {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const page = Object.assign(new EventTarget(), { hidden: false });
  for (const name of ['window', 'document']) vi.stubGlobal(name, page);
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('fetch', async (_path: string, { signal }: { readonly signal: AbortSignal }) => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
    signal.addEventListener('abort', () => stream?.error(signal.reason));
    return new Response(body);
  });
  const statuses: string[] = [];
  let gaps = 0;
  const onGap = () => void (gaps += 1);
  const end = connectLive(session, { onStatus: (status) => statuses.push(status), onMessage: () => undefined, onGap });
  return {
    end,
    statuses,
    /** @returns how often everything was read again meanwhile */
    gapsIn: async (seconds: number) => {
      const before = gaps;
      for (let second = 0; second < seconds; second += 10) {
        stream?.enqueue(new TextEncoder().encode(': still here\n\n'));
        await vi.advanceTimersByTimeAsync(10 * SECOND);
      }
      return gaps - before;
    },
    /** Hides the page, which ends the stream. */
    hide: () => {
      page.hidden = true;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

it('asks again every half minute with a key, whose stream reports no changes', async () => {
  const { gapsIn, statuses, hide } = connect({ kind: 'key', key: 'crl_live_a' });
  await vi.advanceTimersByTimeAsync(0);

  const whileLive = await gapsIn(90);
  hide();
  await vi.advanceTimersByTimeAsync(90 * SECOND);

  expect([whileLive, statuses, vi.getTimerCount()]).toEqual([3, ['live'], 0]);
});

it('does not ask a person’s stream, which reports them', async () => {
  const { gapsIn, statuses, end } = connect(PERSON);
  await vi.advanceTimersByTimeAsync(0);

  expect([await gapsIn(90), statuses]).toEqual([0, ['live']]);
  end();
});
