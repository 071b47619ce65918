/** Moves of posts in the console: each has its Undo, and a later one replaces an earlier one that was not sent. */
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveCache } from '../../../console/app/data/live/apply-event.ts';
import { moveMutation } from '../../../console/app/views/queues/move-mutation.ts';
import { type MovablePost, moverOf, sendPressed } from '../../../console/app/views/queues/moves.ts';

const [NINE, TEN, ELEVEN] = ['09', '10', '11'].map((hour) => Date.parse(`2026-11-21T${hour}:00:00.000Z`)) as [
  number,
  number,
  number,
];

const iso = (instant: number) => new Date(instant).toISOString();

const post = (id: string, { isQueued = true, at = NINE } = {}): MovablePost => ({
  id,
  scheduledFor: iso(at),
  isQueued,
  connectionId: 'bell',
});

/** A person who moves posts, and the messages that are shown. */
function person() {
  const sent: [string, unknown][] = [];
  const shown = new Map<string, string>();
  const messages: { readonly run: () => void; readonly onUndo: () => void }[] = [];
  const mover = moverOf({
    zone: 'UTC',
    show: ({ id }, time) => void shown.set(id, time),
    end: () => undefined,
    mutate: ({ post: { id }, to }) => void sent.push([id, to]),
    toast: () => undefined,
    doUnlessUndone: (_text, run, onUndo) => {
      const message = { run, onUndo };
      messages.push(message);
      return () => void messages.splice(messages.indexOf(message), 1);
    },
  });
  return { ...mover, sent, shown, messages };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('moves of posts', () => {
  it('that follow each other before the service answers each get their Undo', async () => {
    const waiting: (() => void)[] = [];
    const reschedule = async ({ scheduledFor }: { readonly scheduledFor: string }) => {
      await new Promise<void>((resolve) => void waiting.push(resolve));
      return { result: { scheduledFor, error: null } };
    };
    const api = { posts: { reschedule: { mutate: reschedule } } } as unknown as LiveCache['api'];
    const queryClient = new QueryClient();
    onTestFinished(() => queryClient.clear());
    const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
    const nothing = async () => undefined;
    const lists = { refreshPost: nothing, refreshPosts: nothing };
    const observer = new MutationObserver(queryClient, moveMutation({ queryClient, trpc, api }, lists, nothing));
    onTestFinished(observer.subscribe(() => undefined));
    const done: string[] = [];
    const moves = ['a', 'b'].map((id) =>
      observer.mutate({ post: post(id, { isQueued: false }), to: TEN, onDone: () => done.push(id) }),
    );

    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    for (const answer of waiting) answer();
    await Promise.all(moves);

    expect(done).toEqual(['a', 'b']);
  });

  it('of two queued posts are both undone by their own Undo', () => {
    const { move, messages, sent, shown } = person();
    move(post('a'), TEN);
    move(post('b'), ELEVEN);

    for (const { onUndo } of messages) onUndo();

    expect([sent, [...shown]]).toEqual([
      [],
      [
        ['a', iso(NINE)],
        ['b', iso(NINE)],
      ],
    ]);
  });

  it('of one queued post send the last, and Undo leads back to the time before the first', () => {
    const { move, nudge, messages, sent, shown } = person();
    move(post('c'), TEN);
    nudge(post('c', { at: TEN }), ELEVEN);
    vi.advanceTimersByTime(1_000);
    const [message, ...others] = messages;
    message?.run();

    move(post('d'), TEN);
    move(post('d', { at: TEN }), ELEVEN);
    messages.at(-1)?.onUndo();

    expect(others).toEqual([]);
    expect(sent).toEqual([['c', ELEVEN]]);
    expect(shown.get('d')).toBe(iso(NINE));
  });

  it('by a drag and by a key right before it send the drag only', () => {
    const { move, nudge, sent } = person();
    nudge(post('e', { isQueued: false }), TEN);
    move(post('e', { isQueued: false, at: TEN }), ELEVEN);

    vi.advanceTimersByTime(1_000);

    expect(sent).toEqual([['e', ELEVEN]]);
  });

  it('there and back ask the service for nothing: a queued post keeps its slot', () => {
    const { nudge, messages, sent, shown } = person();
    nudge(post('f'), TEN);
    nudge(post('f', { at: TEN }), NINE);

    vi.advanceTimersByTime(1_000);

    expect([sent, messages, shown.get('f')]).toEqual([[], [], iso(NINE)]);
  });

  it('to the next slot show the time before an earlier move that was not sent', () => {
    const { move, shown } = person();
    move(post('g'), TEN);

    move(post('g', { at: TEN }), 'next slot');

    expect(shown.get('g')).toBe(iso(NINE));
  });

  it('by keys are sent when the page is left', () => {
    const { nudge, sent } = person();
    nudge(post('h'), TEN);

    sendPressed();
    vi.advanceTimersByTime(1_000);

    expect(sent).toEqual([['h', TEN]]);
  });
});
