/**
 * Moves of scheduled posts, one after the other. A post that is not in a queue is moved at once, and Undo moves it back. A queued
 * post loses its slot for good when it gets a time, so the service is asked only when Undo has gone.
 */
import type { doUnlessUndone, toast } from '../../ui/toasts.tsx';
import { zonedTime } from '../../ui/day-words.ts';

export interface MovablePost {
  readonly id: string;
  readonly scheduledFor: string;
  readonly isQueued: boolean;
  readonly connectionId: string;
}

/** An instant in milliseconds, or the next free slot of the connection. */
export type Target = number | 'next slot';

export interface Move {
  readonly post: MovablePost;
  readonly to: Target;
  /** Called with the new time. */
  onDone?(scheduledFor: string): void;
}

/** Moves by single key presses follow each other; the service gets the last. */
const PRESSES_MS = 600;

/** A move that the service has not been asked for. */
interface Unsent {
  /** The post as it was before the first of the moves that this one replaces. */
  readonly post: MovablePost;
  readonly to: Target;
  drop(): void;
  /** Moves the post at once, without Undo; absent while Undo shows, because the message does so. */
  send?(): void;
}

const unsent = new Map<string, Unsent>();

/** Where earlier presses have moved a post, before it is drawn there; null without presses. */
export function pressedTo(postId: string): number | null {
  const to = unsent.get(postId)?.to;
  return typeof to === 'number' ? to : null;
}

/** Asks for the moves by key presses that still wait for the next press. */
export function sendPressed(): void {
  for (const { drop, send } of unsent.values()) {
    if (send === undefined) continue;
    drop();
    send();
  }
}

/** Drops the unsent move of a post, so that it cannot follow a later one. @returns the post as it was before that move */
function replaceUnsent(post: MovablePost): MovablePost {
  const before = unsent.get(post.id);
  before?.drop();
  return before?.post ?? post;
}

export interface MoverOptions {
  readonly zone: string;
  /** Shows a time that the service may not know yet. */
  show(post: MovablePost, scheduledFor: string): void;
  /** Stops showing the time of a move, unless a later move has followed. */
  end(post: MovablePost, to: Target): void;
  mutate(move: Move): void;
  readonly toast: typeof toast;
  readonly doUnlessUndone: typeof doUnlessUndone;
}

export function moverOf({ zone, show, end, mutate, toast, doUnlessUndone }: MoverOptions) {
  const restore = (post: MovablePost) => {
    show(post, post.scheduledFor);
    end(post, Date.parse(post.scheduledFor));
  };
  const commit = (post: MovablePost, to: Target) => {
    if (!post.isQueued) {
      const back = () => mutate({ post, to: Date.parse(post.scheduledFor) });
      return mutate({ post, to, onDone: (time) => toast(movedTo(Date.parse(time), zone), back) });
    }
    const words = to === 'next slot' ? 'The post moves to the next free slot.' : movedTo(to, zone);
    const once = (act: () => void) => () => {
      unsent.delete(post.id);
      act();
    };
    const cancel = doUnlessUndone(
      words,
      once(() => mutate({ post, to })),
      once(() => restore(post)),
    );
    unsent.set(post.id, { post, to, drop: once(cancel) });
  };
  // The service is not asked: a queued post would leave its queue, although nothing has changed.
  const isBack = (post: MovablePost, first: MovablePost, to: Target) =>
    first !== post && to === Date.parse(first.scheduledFor);
  return {
    move: (post: MovablePost, to: Target) => {
      const first = replaceUnsent(post);
      if (isBack(post, first, to)) return restore(first);
      if (to !== 'next slot') show(first, new Date(to).toISOString());
      else if (first !== post) restore(first);
      commit(first, to);
    },
    /** One of several steps, such as the press of an arrow key. */
    nudge: (post: MovablePost, to: number) => {
      const first = replaceUnsent(post);
      if (isBack(post, first, to)) return restore(first);
      show(first, new Date(to).toISOString());
      const drop = () => {
        clearTimeout(timer);
        unsent.delete(post.id);
      };
      const timer = setTimeout(() => {
        drop();
        commit(first, to);
      }, PRESSES_MS);
      unsent.set(post.id, { post: first, to, drop, send: () => mutate({ post: first, to }) });
    },
  };
}

function movedTo(instant: number, zone: string): string {
  return `The post goes out ${zonedTime(instant, zone)} (${zone}).`;
}
