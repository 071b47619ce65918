/** /posts with its filters, and /posts/{id}. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root-route.tsx';
import { readPostsSearch } from './search.ts';

export const postsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/posts',
  validateSearch: readPostsSearch,
  component: lazyRouteComponent(() => import('./posts-view.tsx'), 'PostsView'),
});

export const postRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/posts/$postId',
  component: lazyRouteComponent(() => import('./post-view.tsx'), 'PostView'),
});
