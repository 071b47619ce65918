/** /queues. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';
import { readQueuesSearch } from './search.ts';

export const queuesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/queues',
  validateSearch: readQueuesSearch,
  component: lazyRouteComponent(() => import('./queues-view.tsx'), 'QueuesView'),
});
