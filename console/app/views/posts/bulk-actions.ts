/** Runs an action on many posts, a few at a time, and reports the result of each as it arrives. */
import { useRef, useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import { problemOf } from '../../data/problem.ts';
import { type Api, useTRPCClient } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import type { Post, PostAction } from './post-actions.ts';

/** How many calls run at once. */
const AT_ONCE = 4;

/** How often the results are drawn: a run may have thousands of posts. */
const DRAW_MS = 150;

/** Most results that are listed of each kind. */
export const LISTED_MAX = 200;

/** Wait before a call that was over the rate limit is repeated. Nothing was done for it. */
const RATE_LIMIT_WAIT_MS = 5_000;

export interface BulkResult {
  readonly post: Post;
  readonly isDone: boolean;
  readonly message: string;
}

/** An action on each of many posts. */
export interface BulkAction {
  /** Names it in the results. */
  readonly label: string;
  /** In the past tense, for messages. */
  readonly done: string;
  appliesTo(post: Post): boolean;
  run(api: Api, post: Post): Promise<unknown>;
  /** Takes it back on the posts on which it was done; absent when it cannot be undone. */
  undo?(posts: readonly Post[]): BulkAction;
}

/** An action on one post, for many. */
export function onEach({ label, done, appliesTo, run }: PostAction): BulkAction {
  return { label, done, appliesTo, run: (api, { id }) => run(api, id) };
}

export function countWords(posts: number): string {
  return `${posts} ${posts === 1 ? 'post' : 'posts'}`;
}

export interface BulkRun {
  readonly action: BulkAction;
  readonly total: number;
  readonly finished: number;
  /** Results so far: all that failed first, up to {@link LISTED_MAX} of each kind. */
  readonly results: readonly BulkResult[];
  /** Whether calls wait, because there were too many in a minute. */
  readonly isLimited: boolean;
  readonly isOver: boolean;
  /** Leaves out the posts that have not begun. */
  stop(): void;
}

export function useBulkActions() {
  const api = useTRPCClient();
  const { refreshPosts } = useLists();
  const [run, setRun] = useState<BulkRun | null>(null);
  const turn = useRef(Promise.resolve());

  /** One run at a time: the results of a second one would take the place of the first one's, with its failures. */
  const start = (action: BulkAction, posts: readonly Post[]) => {
    const begin = () => runAll(action, posts);
    turn.current = turn.current.then(begin, begin);
  };
  const runAll = async (action: BulkAction, posts: readonly Post[]) => {
    const done: BulkResult[] = [];
    const failed: BulkResult[] = [];
    let isStopped = false;
    let waiting = 0;
    let drawnAt = -DRAW_MS;
    const draw = (isOver: boolean) => {
      if (!isOver && performance.now() - drawnAt < DRAW_MS) return;
      drawnAt = performance.now();
      const results = [...failed.slice(0, LISTED_MAX), ...done.slice(0, LISTED_MAX)];
      const finished = done.length + failed.length;
      const stop = () => (isStopped = true);
      setRun({ action, total: posts.length, finished, results, isLimited: waiting > 0, isOver, stop });
    };
    const untilAccepted = async (post: Post): Promise<BulkResult> => {
      for (;;) {
        const { result, isLimited } = await resultOf(post, action, api);
        if (!isLimited || isStopped) return result;
        waiting += 1;
        draw(false);
        await new Promise((resolve) => setTimeout(resolve, RATE_LIMIT_WAIT_MS));
        waiting -= 1;
      }
    };
    const remaining = posts.values();
    const work = async () => {
      for (const post of remaining) {
        if (isStopped) return;
        const result = await untilAccepted(post);
        (result.isDone ? done : failed).push(result);
        draw(false);
      }
    };
    draw(false);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    draw(true);
    const changed = done.map(({ post }) => post);
    const undo = changed.length > 0 ? action.undo?.(changed) : undefined;
    const again = undo && (() => start(undo, changed));
    toast(`${changed.length} of ${countWords(posts.length)} ${action.done}.`, again);
    await refreshPosts();
  };
  return { run, start, clear: () => setRun(null) };
}

async function resultOf(post: Post, action: BulkAction, api: Api): Promise<{ result: BulkResult; isLimited: boolean }> {
  const failed = (message: string, isLimited = false) => ({ result: { post, isDone: false, message }, isLimited });
  if (!action.appliesTo(post)) return failed(`${action.label} does not apply to a post that is ${post.status}.`);
  try {
    await action.run(api, post);
    return { result: { post, isDone: true, message: action.done }, isLimited: false };
  } catch (failure) {
    const { code, message, hint } = problemOf(failure);
    return failed(hint === null ? message : `${message} ${hint}`, code === 'rate_limited');
  }
}
