/**
 * loginRenewals: refreshes access tokens before they expire. Safe to run in parallel: one worker claims each token and
 * refreshes it under a lease.
 */
import { nextRenewalAt, renewDueCredentials } from '../services/connections/renew-due-credentials.ts';
import type { Loop } from './loop.ts';

export const loginRenewals: Loop = {
  name: 'loginRenewals',
  // A new token lives for minutes at least.
  newWorkWithinMs: 10_000,
  run: renewDueCredentials,
  nextDueAt: nextRenewalAt,
};
