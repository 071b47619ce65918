/** Says that sending is stopped, as long as it is. */
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';

export function ActiveStops() {
  const { data } = useQuery(useTRPC().stops.list.queryOptions({ limit: 100 }));
  const stops = data?.stops ?? [];
  if (stops.length === 0) return null;
  const held = stops.reduce((sum, stop) => sum + stop.held, 0);
  return (
    <Panel title="Sending is stopped">
      <p>
        {stops.some(({ kind }) => kind === 'account') ? 'Nothing goes out' : 'A part of the account sends nothing'}, and{' '}
        {held} scheduled {held === 1 ? 'post is' : 'posts are'} held.{' '}
        <Link to="/stops" className="link">
          Look and release
        </Link>
      </p>
    </Panel>
  );
}
