/**
 * The router with every operation of the service. REST, MCP, the typed client and the API document are built from it.
 */
import { accountRouter } from './account/index.ts';
import { analyticsRouter } from './analytics/index.ts';
import { approvalsRouter } from './approvals/index.ts';
import { auditRouter } from './audit/index.ts';
import { calendarsRouter } from './calendars/index.ts';
import { connectRouter } from './connect/index.ts';
import { connectionsRouter } from './connections/index.ts';
import { feedsRouter } from './feeds/index.ts';
import { importsRouter } from './imports/index.ts';
import { keysRouter } from './keys/index.ts';
import { mediaRouter } from './media/index.ts';
import { platformsRouter } from './platforms/index.ts';
import { policiesRouter } from './policies/index.ts';
import { postsRouter } from './posts/index.ts';
import { profilesRouter } from './profiles/index.ts';
import { publicRouter } from './public/index.ts';
import { simulationRouter } from './simulation/index.ts';
import { router } from './procedures.ts';
import { stopsRouter } from './stops/index.ts';
import { webhooksRouter } from './webhooks/index.ts';

export const appRouter = router({
  connections: connectionsRouter,
  connect: connectRouter,
  posts: postsRouter,
  approvals: approvalsRouter,
  stops: stopsRouter,
  policies: policiesRouter,
  analytics: analyticsRouter,
  media: mediaRouter,
  platforms: platformsRouter,
  profiles: profilesRouter,
  keys: keysRouter,
  webhooks: webhooksRouter,
  calendars: calendarsRouter,
  imports: importsRouter,
  feeds: feedsRouter,
  account: accountRouter,
  audit: auditRouter,
  public: publicRouter,
  simulation: simulationRouter,
});

/** The type that typed clients are built from. */
export type AppRouter = typeof appRouter;
