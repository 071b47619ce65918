/**
 * Mounts all pages for people: the console, the API reference, the documentation, the error codes, the status page, the hosted
 * connect page, the owner pages and sign-in, and the sandbox's public timelines (docs/contract/running.md#paths,
 * docs/contract/platforms.md#sandbox, docs/contract/agents.md#people,
 * docs/contract/connections.md#the-hosted-page).
 */
import { type RequestHandler, Router } from 'express';
import type { Context } from '../services/context.ts';
import { serveAppFiles } from './app-files.ts';
import { appPage } from './app-page.ts';
import { serveAssets } from './assets.ts';
import { connectPages } from './connect/connect-pages.ts';
import { docsRouter } from './docs/docs-router.ts';
import { errorsPage } from './errors-page.ts';
import { referencePage } from './reference-page.ts';
import { serveSandboxImage } from './sandbox-image.ts';
import { peoplePages } from './people/people-pages.ts';
import { permalinkPage, timelinePage } from './sandbox-page.ts';
import { statusPage } from './status-page.ts';
import type { WithHealth } from '../services/health/cached-health.ts';
import type { WithPublicLimiter } from '../services/limits/rate-limiter.ts';

/** Mounted at the root; passes other paths on. */
export function pagesRouter(context: Context & WithPublicLimiter & WithHealth): Router {
  const router = Router();
  router.use('/assets/app', serveAppFiles());
  router.use('/assets', serveAssets(context));
  router.use('/connect', connectPages(context));
  router.use(peoplePages(context));
  router.get('/docs', referencePage(context));
  router.get('/docs/errors', errorsPage(context));
  router.use(docsRouter(context));
  router.get('/status', statusPage(context));
  router.get('/sandbox/media/:postId/:position', serveSandboxImage(context));
  router.get('/sandbox/:accountId', timelinePage(context));
  router.get('/sandbox/:accountId/:postId', permalinkPage(context));
  router.get('/numbers', renamed('/analytics'));
  router.get('/{*path}', appPage(context));
  return router;
}

/** Leads links to the old address of a view to its new one, with their filters. */
function renamed(path: string): RequestHandler {
  return (request, response) => {
    const { search } = new URL(request.originalUrl, 'http://localhost');
    response.redirect(308, path + search);
  };
}
