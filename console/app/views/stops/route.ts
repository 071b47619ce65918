/** /stops. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';

export const stopsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stops',
  component: lazyRouteComponent(() => import('./stops-view.tsx'), 'StopsView'),
});
