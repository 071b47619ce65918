/** Today: what goes out next, what needs a person, the metrics of the week, and whether the workers run. */
import { Allowed } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Link } from '../../ui/link.tsx';
import { ActiveStops } from './active-stops.tsx';
import { FailedPosts } from './failed-posts.tsx';
import { NextPosts } from './next-posts.tsx';
import { ReconnectNeeded } from './reconnect-needed.tsx';
import { ServiceHealth } from './service-health.tsx';
import { WaitingApprovals } from './waiting-approvals.tsx';
import { WeekMetrics } from './week-metrics.tsx';
import './today.css';

export function TodayView() {
  useTitle('Today');
  return (
    <>
      <header className="view-head">
        <h1>Today</h1>
        <Allowed to="posts:write">
          <Link to="/compose" className="button button-primary">
            Write a post
          </Link>
        </Allowed>
      </header>
      <div className="today">
        <div>
          <ActiveStops />
          <ReconnectNeeded />
          <WaitingApprovals />
          <FailedPosts />
          <NextPosts />
        </div>
        <div>
          <WeekMetrics />
          <ServiceHealth />
        </div>
      </div>
    </>
  );
}
