/** The send ledger of a post: each call to the platform and its outcome. */
import { useQuery } from '@tanstack/react-query';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ItemProblem } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { duration } from '../../ui/times.ts';

type Attempt = Outputs['posts']['attempts']['attempts'][number];

const STEPS: Readonly<Record<Attempt['step'], string>> = {
  head: 'Post',
  reply: 'Reply',
  first_comment: 'First comment',
  delete: 'Take-down',
};

export function PostAttempts({ postId }: { postId: string }) {
  const query = useQuery(useTRPC().posts.attempts.queryOptions({ postId }));
  return (
    <Panel title="Calls to the platform">
      <QueryView what="the calls" query={query}>
        {({ attempts }) =>
          attempts.length === 0 ? (
            <p className="hint">The platform was not called for this post.</p>
          ) : (
            <ol className="rows">
              {attempts.map((attempt) => (
                <AttemptRow key={attempt.id} attempt={attempt} />
              ))}
            </ol>
          )
        }
      </QueryView>
    </Panel>
  );
}

function AttemptRow({
  attempt: { step, index, state, startedAt, settledAt, platformPostId, error },
}: {
  attempt: Attempt;
}) {
  return (
    <li>
      <p>
        <b>{index === 0 ? STEPS[step] : `${STEPS[step]} ${index + 1}`}</b> <StatusBadge status={state} />{' '}
        <Moment at={startedAt} />
        {settledAt === null ? ', no answer yet' : `, settled after ${duration(startedAt, settledAt)}`}
      </p>
      {platformPostId !== null && (
        <p className="hint">
          Id on the platform: <code>{platformPostId}</code>
        </p>
      )}
      {error !== null && <ItemProblem error={error} />}
    </li>
  );
}
