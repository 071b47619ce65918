/** /keys, with the choice to show revoked ones. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOfIn, present } from '../../data/search.ts';
import { rootRoute } from '../../root-route.tsx';

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  validateSearch: (search: Record<string, unknown>) => present({ show: oneOfIn(search, 'show', ['all']) }),
  component: lazyRouteComponent(() => import('./keys-view.tsx'), 'KeysView'),
});
