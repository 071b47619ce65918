/** The root of all routes: the frame. Views hang below it. */
import { createRootRoute } from '@tanstack/react-router';
import { ErrorView, NotFoundView } from './shell/error-view.tsx';
import { Frame } from './shell/frame.tsx';

export const rootRoute = createRootRoute({
  component: Frame,
  errorComponent: ErrorView,
  notFoundComponent: NotFoundView,
});
