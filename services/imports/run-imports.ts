/**
 * Carries out imports. One worker at a time holds an import by a lease, and an account runs one import at a time, the
 * oldest first. Accounts take turns after {@link ROWS_A_TURN} rows.
 */
import type { Context } from '../context.ts';
import type { WithCreations } from '../posts/create-posts.ts';
import { areSourcesHeld, wereSourcesHeld } from '../restores/restored-sources.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { dateOrNull } from '../timestamp.ts';
import { type ClaimedImport, claimImport, endImport, nextImport, nextRow, releaseImport } from './claim-import.ts';
import { runRow } from './run-row.ts';
import { callerOf, inForce } from '../access/stored-caller.ts';
import { roundEnd } from '../workers/round-end.ts';

/** Longer than a row takes, images included. */
const LEASE_MS = 180_000;

/** Rows of one import before other accounts get their turn. */
const ROWS_A_TURN = 25;

/** @returns number of rows that were tried; none are while posts are held after a restore */
export async function runImports(
  context: Context & WithCreations & WithRestoreWatch,
  signal: AbortSignal,
): Promise<number> {
  let tried = 0;
  const isOver = roundEnd(context, signal);
  while (!isOver() && !(await areSourcesHeld(context))) {
    const lease = context.random.uuid();
    const [claimed] = await claimImport(context.db.em(), { ...leaseTimes(context), lease });
    if (claimed === undefined) break;
    tried += await runTurn(context, { claimed, lease, isOver });
  }
  return tried;
}

/** When an import can go on; null when none is running, or while posts are held after a restore. */
export async function nextImportAt(context: Context & WithRestoreWatch): Promise<Date | null> {
  if (wereSourcesHeld(context)) return null;
  const [next] = await nextImport(context.db.queries);
  return dateOrNull(next?.at ?? null);
}

function leaseTimes({ clock }: Context): { now: Date; until: Date } {
  const now = clock.now();
  return { now, until: new Date(+now + LEASE_MS) };
}

interface Turn {
  readonly claimed: ClaimedImport;
  readonly lease: string;
  readonly isOver: () => boolean;
}

async function runTurn(
  context: Context & WithCreations & WithRestoreWatch,
  { claimed, lease, isOver }: Turn,
): Promise<number> {
  const { id } = claimed;
  let tried = 0;
  do {
    const { until } = leaseTimes(context);
    const [row] = await nextRow(context.db.em(), { id, lease, until });
    if (row === undefined) break;
    const caller = await inForce(context, callerOf(row.caller), 'posts:write');
    if (caller === null) {
      const message = 'The key, agent or role that started the import has ended. Send the file again to go on.';
      await endImport(context.db.em(), { id, lease, now: context.clock.now(), message, caller: row.caller });
      break;
    }
    await runRow(context, caller, claimed, row);
    tried += 1;
  } while (tried < ROWS_A_TURN && !isOver());
  await releaseImport(context.db.em(), { id, lease, now: context.clock.now() });
  return tried;
}
