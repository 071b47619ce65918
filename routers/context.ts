/** What an operation runs with: the caller, the request, and the services of the process. */
import type { Surface } from '../entities/audit-entry.ts';
import type { Caller } from '../services/access/caller.ts';
import type { WithAudit } from '../services/audit/audit-log.ts';
import type { Context } from '../services/context.ts';
import type { WithHealth } from '../services/health/cached-health.ts';
import type { WithCreations } from '../services/posts/create-posts.ts';
import type { WithRestoreWatch } from '../services/restores/restore-watch.ts';
import type { WithSimulation } from '../services/simulation/simulation.ts';
import type { WithStats } from '../services/stats/read-stats.ts';
import type { Visit } from '../services/people/owner-change.ts';
import type { SignedInPerson } from '../services/people/sign-ins.ts';
import type { WithReceivers } from '../services/webhooks/receivers.ts';
import type { Access } from './meta.ts';

/** The ports and the objects of the process that operations use. */
export interface OperationServices
  extends Context, WithAudit, WithCreations, WithReceivers, WithRestoreWatch, WithSimulation, WithHealth, WithStats {}

/** The progress of an operation. */
export interface Progress {
  readonly finished: number;
  readonly total: number;
  /** What finished, in a sentence. */
  readonly message: string;
}

/** The context that an operation runs with. */
export interface OperationContext {
  readonly services: OperationServices;
  /** Null when the request had no valid key. */
  readonly caller: Caller | null;
  /** The signed-in person whose browser called; absent for keys and access tokens. */
  readonly person?: SignedInPerson | undefined;
  /** Where the call of that person came from. */
  readonly visit?: Visit | undefined;
  readonly requestId: string;
  /** Receives progress while the operation runs, if the client asked for it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Who calls by now; undefined when the body came along with the headers. */
  readonly callerNow?: (() => Promise<Pick<OperationContext, 'caller' | 'person'>>) | undefined;
  /** The surface that the request came through. */
  readonly surface: Surface;
  /** Adds a header to the answer, on surfaces that have headers. */
  readonly setHeader?: (name: string, value: string) => void;
  /** Counts the request in a bucket; undefined when the surface has counted it already. */
  readonly admit?: (bucket: string, access: Access) => Promise<void>;
}
