/**
 * The router of the console of a signed-in person, served at /owner/trpc only: every operation of the service, and the
 * operations that no key may call (docs/decisions/0075-serve-operations-for-people-to-the-console-only.md).
 */
import { appRouter } from './index.ts';
import { peopleRouter } from './people/index.ts';
import { mergeRouters, router } from './procedures.ts';

export const consoleRouter = mergeRouters(appRouter, router({ people: peopleRouter }));

/** The type that the console's client is built from. */
export type ConsoleRouter = typeof consoleRouter;
