/** Policies: which keys and agents have rules, and how much goes out under each. */
import { useQuery } from '@tanstack/react-query';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Scale } from '../../ui/view-icons.tsx';

type Policy = Outputs['policies']['list']['policies'][number];

const MAX = 100;

export function PoliciesView() {
  useTitle('Policies');
  const query = useQuery(useTRPC().policies.list.queryOptions({ limit: MAX }));
  return (
    <>
      <h1>Policies</h1>
      <QueryView what="the policies" query={query}>
        {({ policies, nextCursor }) => (
          <Panel title="Keys and agents with rules">
            {policies.length === 0 ? (
              <EmptyState icon={Scale} title="No key or agent has a policy">
                A policy lets an agent post alone within limits. Open one from{' '}
                <Link to="/agents" className="link">
                  Agents
                </Link>{' '}
                or{' '}
                <Link to="/keys" className="link">
                  Keys
                </Link>
                .
              </EmptyState>
            ) : (
              <ul className="rows">
                {policies.map((policy) => (
                  <PolicyRow key={policy.policyId} policy={policy} />
                ))}
              </ul>
            )}
            {nextCursor !== null && <p className="hint">There are more than {MAX}. GET /policies lists all of them.</p>}
          </Panel>
        )}
      </QueryView>
    </>
  );
}

function PolicyRow({ policy }: { policy: Policy }) {
  const { policyId, kind, name, postsLastHour, postsLastDay, changedAt, changedBy } = policy;
  return (
    <li>
      <p>
        <Link to="/policies/$policyId" params={{ policyId }} className="link">
          <bdi>{name ?? 'A key or agent that is gone'}</bdi>
        </Link>{' '}
        <span className="soft">{kind === 'grant' ? 'agent' : 'key'}</span>
      </p>
      <p className="hint">
        {postsLastHour} {postsLastHour === 1 ? 'post' : 'posts'} in the last 60 minutes, {postsLastDay} in the last 24
        hours. Changed <QuietMoment at={changedAt} /> by <bdi>{changedBy.name}</bdi>.
      </p>
    </li>
  );
}
