/**
 * xUsageSweep: finds charged posts without a row in the usage ledger and adds the row, once. Safe to run in parallel.
 */
import type { Loop } from './loop.ts';

export const xUsageSweep: Loop = {
  name: 'xUsageSweep',
  run: async ({ log, missingCharges }) => {
    const written = await missingCharges.write();
    if (written > 0) log.warn({ charges: written }, 'charges that were missing in the usage ledger were written');
    return written;
  },
};
