/** /account: plan, usage, people, settings, and the person's own sign-in. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOfIn, present } from '../../data/search.ts';
import { rootRoute } from '../../root-route.tsx';

export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  // A link in the weekly digest: it asks, and changes nothing.
  validateSearch: (search: Record<string, unknown>) => present({ digest: oneOfIn(search, 'digest', ['off']) }),
  component: lazyRouteComponent(() => import('./account-view.tsx'), 'AccountView'),
});
