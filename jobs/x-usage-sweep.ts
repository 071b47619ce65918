/**
 * xUsageSweep: finds charged posts without a row in the usage ledger and adds the row, once. Safe to run in parallel.
 */
import type { Context } from '../services/context.ts';
import { writeMissingCharges } from '../services/plans/write-missing-charges.ts';
import type { Loop } from './loop.ts';

export const xUsageSweep: Loop = {
  name: 'xUsageSweep',
  run: async (context: Context) => {
    const written = await writeMissingCharges(context);
    if (written > 0)
      context.log.warn({ charges: written }, 'charges that were missing in the usage ledger were written');
    return written;
  },
};
