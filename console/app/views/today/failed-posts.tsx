/** What failed within a week and why, each with the one press that helps. */
import { useQuery } from '@tanstack/react-query';
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
import { failedFilter, failedThisWeek } from './failed-this-week.ts';

type Post = Outputs['posts']['list']['posts'][number];

export function FailedPosts() {
  const now = useNow();
  const query = useQuery(useTRPC().posts.list.queryOptions(failedFilter(now)));
  const failed = query.data && failedThisWeek(query.data.posts, now);
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
            {failed?.map((post) => (
              <FailedPost key={post.id} post={post} />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

function FailedPost({ post }: { post: Post }) {
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
      <Remedy post={post} />
    </li>
  );
}

/** What helps with codes that have a remedy of their own. */
const ACTIONS: Readonly<Record<string, PostAction>> = {
  slot_missed: RETRY_IN_QUEUE,
  schedule_missed: POST_ACTIONS.retry,
};

/** The one press that helps with the failure. */
function Remedy({ post }: { post: Post }) {
  const { mutate, isPending, error } = usePostAction(post.id);
  const canWrite = useCan('posts:write');
  const code = post.error?.code ?? '';
  const action = ACTIONS[code] ?? (isRetryable(code) ? POST_ACTIONS.retry : null);
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
        <Button isPending={isPending} onPress={() => mutate(action)}>
          {action.label}
        </Button>
      </div>
      {error !== null && <ProblemView failure={error} />}
    </>
  );
}
