/** /media, all images or only the unused ones. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOfIn, present } from '../../data/search.ts';
import { rootRoute } from '../../root-route.tsx';

interface MediaSearch {
  /** Present for only the images that no post names. */
  readonly unused?: 'yes';
}

export const mediaRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/media',
  validateSearch: (search: Record<string, unknown>): MediaSearch =>
    present({ unused: oneOfIn(search, 'unused', ['yes']) }),
  component: lazyRouteComponent(() => import('./media-view.tsx'), 'MediaView'),
});
