/** /webhooks, and /webhooks/{id} with the filter of its deliveries and the one that is open. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOfIn, present, textIn } from '../../data/search.ts';
import { rootRoute } from '../../root-route.tsx';
import { LISTED_STATUSES } from './deliveries.ts';

export const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks-view.tsx'), 'WebhooksView'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$webhookId',
  validateSearch: (search: Record<string, unknown>) =>
    present({ status: oneOfIn(search, 'status', LISTED_STATUSES), delivery: textIn(search, 'delivery') }),
  component: lazyRouteComponent(() => import('./webhook-view.tsx'), 'WebhookView'),
});
