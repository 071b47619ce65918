/** The router: one line per view. */
import { createRouter } from '@tanstack/react-router';
import { parseSearch, stringifySearch } from './data/search.ts';
import { rootRoute } from './root-route.tsx';
import { ErrorView, NotFoundView } from './shell/error-view.tsx';
import { Loading } from './ui/loading.tsx';
import { activityRoute } from './views/activity/route.ts';
import { agentsRoute } from './views/agents/route.ts';
import { accountRoute } from './views/account/route.ts';
import { approvalsRoute } from './views/approvals/route.ts';
import { calendarRoute } from './views/calendar/route.ts';
import { composeRoute } from './views/compose/route.ts';
import { connectionRoute, connectionsRoute, newConnectionRoute } from './views/connections/route.ts';
import { designRoute } from './views/design/route.ts';
import { calendarAddressesRoute, exportRoute, feedsRoute, importRoute } from './views/files/route.ts';
import { keysRoute } from './views/keys/route.ts';
import { mediaRoute } from './views/media/route.ts';
import { analyticsRoute } from './views/analytics/route.ts';
import { postRoute, postsRoute } from './views/posts/route.ts';
import { profileRoute, profilesRoute } from './views/profiles/route.ts';
import { queuesRoute } from './views/queues/route.ts';
import { settingsRoute } from './views/settings/route.ts';
import { policiesRoute, policyRoute } from './views/policies/route.ts';
import { stopsRoute } from './views/stops/route.ts';
import { todayRoute } from './views/today/route.ts';
import { webhookRoute, webhooksRoute } from './views/webhooks/route.ts';

const routeTree = rootRoute.addChildren([
  todayRoute,
  accountRoute,
  approvalsRoute,
  calendarRoute,
  composeRoute,
  connectionsRoute,
  newConnectionRoute,
  connectionRoute,
  designRoute,
  mediaRoute,
  analyticsRoute,
  postsRoute,
  postRoute,
  profilesRoute,
  profileRoute,
  webhooksRoute,
  webhookRoute,
  queuesRoute,
  importRoute,
  exportRoute,
  feedsRoute,
  calendarAddressesRoute,
  keysRoute,
  agentsRoute,
  activityRoute,
  settingsRoute,
  stopsRoute,
  policiesRoute,
  policyRoute,
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ErrorView,
  defaultNotFoundComponent: NotFoundView,
  defaultPendingComponent: () => <Loading what="the view" />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
