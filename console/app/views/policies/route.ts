/** /policies, and /policies/{id of a key or grant}, opened from the lists of keys and agents. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';

export const policiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/policies',
  component: lazyRouteComponent(() => import('./policies-view.tsx'), 'PoliciesView'),
});

export const policyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/policies/$policyId',
  component: lazyRouteComponent(() => import('./policy-view.tsx'), 'PolicyView'),
});
