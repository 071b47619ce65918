/** /compose; a link may bring connections, a time, a text, a post to begin with, or a draft to continue. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';
import { readComposeSearch } from './search.ts';

export const composeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compose',
  validateSearch: readComposeSearch,
  component: lazyRouteComponent(() => import('./compose-view.tsx'), 'ComposeView'),
});
