/** loginRenewals: renews logins ahead of their end. Safe to run side by side: each login is taken by one worker, and renewed under a lease. */
import { nextRenewalAt, renewLogins } from '../services/connections/renew-logins.ts';
import type { Loop } from './loop.ts';

export const loginRenewals: Loop = { name: 'loginRenewals', run: renewLogins, nextDueAt: nextRenewalAt };
