/** /files imports posts; /files/export, /files/feeds and /files/calendars are beside it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOfIn, present, textIn } from '../../data/search.ts';
import { rootRoute } from '../../root-route.tsx';
import { SHOWN_ROWS } from './import-words.ts';

export const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files',
  validateSearch: (search: Record<string, unknown>) =>
    present({ import: textIn(search, 'import'), rows: oneOfIn(search, 'rows', SHOWN_ROWS) }),
  component: lazyRouteComponent(() => import('./import-view.tsx'), 'ImportView'),
});

export const exportRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files/export',
  component: lazyRouteComponent(() => import('./export-view.tsx'), 'ExportView'),
});

export const feedsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files/feeds',
  validateSearch: (search: Record<string, unknown>) => present({ feed: textIn(search, 'feed') }),
  component: lazyRouteComponent(() => import('./feeds-view.tsx'), 'FeedsView'),
});

export const calendarAddressesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files/calendars',
  component: lazyRouteComponent(() => import('./calendars-view.tsx'), 'CalendarsView'),
});
