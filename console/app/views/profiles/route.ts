/** /profiles with its filter, and /profiles/{id} with the connect link that it follows. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { present, textIn } from '../../data/search.ts';
import { rootRoute } from '../../root-route.tsx';

export const profilesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/profiles',
  validateSearch: (search: Record<string, unknown>) => present({ externalId: textIn(search, 'externalId') }),
  component: lazyRouteComponent(() => import('./profiles-view.tsx'), 'ProfilesView'),
});

export const profileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/profiles/$profileId',
  // Id of a connect session: the link itself is shown once, its state at any time.
  validateSearch: (search: Record<string, unknown>) => present({ link: textIn(search, 'link') }),
  component: lazyRouteComponent(() => import('./profile-view.tsx'), 'ProfileView'),
});
