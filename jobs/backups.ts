/** backups: backs the embedded database up when that is due, if there is a schedule. One process has that database. */
import type { Loop } from './loop.ts';

export const backups: Loop = {
  name: 'backups',
  runsAtStart: true,
  run: (context, signal) => context.backups.runDue(signal),
};
