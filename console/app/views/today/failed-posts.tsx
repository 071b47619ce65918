/** What failed within a week and why, each with the one press that helps. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isRetryable } from '../../data/problem.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment, useNow } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ItemProblem, ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { hasUnknownOutcome, POST_ACTIONS, type PostAction, RETRY_IN_QUEUE } from '../posts/post-actions.ts';
import { usePostAction } from '../posts/use-post-action.ts';
import { failedFilter, failedThisWeek, type Failure, type Retried, undatedFailures } from './failed-this-week.ts';

type Post = Outputs['posts']['list']['posts'][number];

export function FailedPosts() {
  const now = useNow();
  const query = useQuery(useTRPC().posts.list.queryOptions(failedFilter(now)));
  const posts = query.data?.posts ?? [];
  const attempted = useAttempted(undatedFailures(posts, now));
  const [retried, setRetried] = useState<ReadonlyMap<string, Retried>>(new Map());
  const failed = query.data && failedThisWeek(posts, now, attempted, retried);
  const noteRetry = (failure: Failure, isPending: boolean) =>
    setRetried((before) => new Map(before).set(failure.post.id, { ...failure, isPending }));
  if (failed?.length === 0) return null;
  const all = (
    <Link to="/posts" search={{ status: 'failed' }} className="link">
      All failed
    </Link>
  );
  return (
    <Panel title="Failed this week" aside={all}>
      <QueryView what="failed posts" query={query}>
        {() => (
          <ul className="rows">
            {failed?.map((failure) => (
              <FailedPost
                key={failure.post.id}
                post={failure.post}
                onRetry={(isPending) => noteRetry(failure, isPending)}
              />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

/** When posts were last sent, by their id. */
function useAttempted(posts: readonly Post[]): ReadonlyMap<string, string> {
  const trpc = useTRPC();
  const read = useQueries({
    // A new attempt comes with an event, which has them read again.
    queries: posts.map(({ id }) => trpc.posts.attempts.queryOptions({ postId: id }, { staleTime: Infinity })),
  });
  return new Map(
    posts.flatMap(({ id }, index) => {
      const last = read[index]?.data?.attempts.at(-1);
      return last === undefined ? [] : [[id, last.startedAt]];
    }),
  );
}

interface FailedPostProps {
  readonly post: Post;
  /** A retry begins, or has ended. */
  onRetry(isPending: boolean): void;
}

function FailedPost({ post, onRetry }: FailedPostProps) {
  const { id, text, connectionSlug, createdAt, error } = post;
  return (
    <li>
      <p>
        <Link to="/posts/$postId" params={{ postId: id }} className="post-link one-line">
          <bdi>{text}</bdi>
        </Link>
      </p>
      <p className="hint">
        to <b>{connectionSlug}</b>, written <Moment at={createdAt} />
      </p>
      {error !== null && <ItemProblem error={error} />}
      <Remedy post={post} onRetry={onRetry} />
    </li>
  );
}

/** What helps with codes that have a remedy of their own. */
const ACTIONS: Readonly<Record<string, PostAction>> = {
  slot_missed: RETRY_IN_QUEUE,
  schedule_missed: POST_ACTIONS.retry,
};

/** The one press that helps with the failure. */
function Remedy({ post, onRetry }: FailedPostProps) {
  const { mutate, isPending, error } = usePostAction(post.id);
  const canWrite = useCan('posts:write');
  const code = post.error?.code ?? '';
  const action = ACTIONS[code] ?? (isRetryable(code) ? POST_ACTIONS.retry : null);
  const retry = (wanted: PostAction) => {
    onRetry(true);
    mutate(wanted, { onSettled: () => onRetry(false) });
  };
  if (!canWrite) return null;
  if (code === 'reconnect_required') {
    return (
      <Link to="/connections" className="button button-primary">
        Reconnect {post.connectionSlug}
      </Link>
    );
  }
  if (hasUnknownOutcome(post)) {
    return (
      <Link to="/posts/$postId" params={{ postId: post.id }} className="button button-plain">
        Look at the calls
      </Link>
    );
  }
  if (action === null) {
    return (
      <Link to="/compose" search={{ from: post.id }} className="button button-plain">
        Change the text
      </Link>
    );
  }
  return (
    <>
      <div className="actions">
        <Button isPending={isPending} onPress={() => retry(action)}>
          {action.label}
        </Button>
      </div>
      {error !== null && <ProblemView failure={error} />}
    </>
  );
}
