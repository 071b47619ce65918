/** How many posts wait for the approval of a person; nothing when there are none. */
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';

const SHOWN = 100;

export function WaitingApprovals() {
  const { data } = useQuery(useTRPC().approvals.list.queryOptions({ limit: SHOWN }));
  const count = data?.approvals.length ?? 0;
  if (count === 0) return null;
  const names = [...new Set(data?.approvals.map(({ approval }) => approval.requestedBy.name))];
  return (
    <Panel title="Waiting for approval">
      <p>
        <Link to="/approvals" className="link">
          {data?.nextCursor === null ? count : `More than ${count}`} {count === 1 ? 'post' : 'posts'}
        </Link>{' '}
        of <bdi>{names.slice(0, 3).join(', ')}</bdi>
        {names.length > 3 && ` and ${names.length - 3} others`}
      </p>
    </Panel>
  );
}
