/** /connections with its filters, /connections/new, and /connections/{id}. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';
import { readConnectionsSearch, readNewSearch, readSessionSearch } from './search.ts';

export const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections',
  validateSearch: readConnectionsSearch,
  component: lazyRouteComponent(() => import('./connections-view.tsx'), 'ConnectionsView'),
});

export const newConnectionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/new',
  validateSearch: readNewSearch,
  component: lazyRouteComponent(() => import('./new-connection-view.tsx'), 'NewConnectionView'),
});

export const connectionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connections/$connectionId',
  validateSearch: readSessionSearch,
  component: lazyRouteComponent(() => import('./connection-view.tsx'), 'ConnectionView'),
});
