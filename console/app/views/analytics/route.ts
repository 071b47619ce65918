/** /analytics with its window and filters. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';
import { readAnalyticsSearch } from './search.ts';

export const analyticsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/analytics',
  validateSearch: readAnalyticsSearch,
  component: lazyRouteComponent(() => import('./analytics-view.tsx'), 'AnalyticsView'),
});
