/**
 * What an operator decides about the posts that are held after a restore: hold those that are due now, look all of them
 * up, or release them. Feeds and imports wait for the decision (docs/operations.md#after-a-restore).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { leaseFrom } from './send-times.ts';
import { timestamp } from '../timestamp.ts';
import { holdUntil } from '../restores/database-mark.ts';
import { heldPostIds } from './held-posts.ts';
import { countWaitingSources, leaveOutSent, type WaitingSources } from '../restores/restored-sources.ts';
import { isHeld, type WithRestoreWatch } from '../restores/restore-watch.ts';

export const HOLD_DECISIONS = ['hold', 'settle', 'release'] as const;
export type HoldDecision = (typeof HOLD_DECISIONS)[number];

export interface HoldView extends WaitingSources {
  /** Posts that were due by this instant are held; null when none are. */
  readonly heldUntil: string | null;
  /** Whether workers look the held posts up. */
  readonly isSettling: boolean;
  /** Number of posts that are held. */
  readonly posts: number;
}

const countHeld = statement('count the posts that are held after a restore', {
  parameters: { heldUntil: 'timestamptz', heldClaims: 'timestamptz' },
  result: { posts: 'int' },
  sql: (held) => `select count(*)::int as posts from (${heldPostIds(held)}) as held`,
});

const settleHeld = statement('settle the posts that are held after a restore', {
  sql: () => 'update database_marks set is_settling = true where held_until is not null',
});

const endHold = statement('end the hold after a restore', {
  parameters: { heldUntil: 'timestamptz' },
  sql: ({ heldUntil }) => `
    update database_marks set held_until = null, is_settling = false where held_until = ${heldUntil}`,
});

export async function readHold(context: Context & WithRestoreWatch): Promise<HoldView> {
  const { heldUntil, isSettling } = await context.restores.check();
  const posts = await countHeldPosts(context, heldUntil);
  const sources = await countWaitingSources(context);
  return { heldUntil: isHeld(heldUntil) ? timestamp(heldUntil) : null, isSettling, posts, ...sources };
}

export async function countHeldPosts(context: Context, heldUntil: Date): Promise<number> {
  if (!isHeld(heldUntil)) return 0;
  const [row] = await countHeld(context.db.queries, { heldUntil, heldClaims: leaseFrom(heldUntil) });
  return row?.posts ?? 0;
}

/** Safe to repeat. Workers look for what it made due. */
export async function decideHold(context: Context & WithRestoreWatch, decision: HoldDecision): Promise<HoldView> {
  const { heldUntil } = await context.restores.check();
  const { queries } = context.db;
  if (decision === 'hold') await holdUntil(queries, { now: context.clock.now(), known: 0 });
  if (decision === 'settle') {
    await context.db.em().transactional(async (em: SqlEntityManager) => {
      await settleHeld(em);
      await leaveOutSent(em);
    });
  }
  if (decision === 'release') await endHold(queries, { heldUntil });
  const hold = await readHold(context);
  context.db.changes.report();
  return hold;
}

/** Ends the hold once every held post is settled. */
export async function endSettledHold(context: Context & WithRestoreWatch): Promise<void> {
  const { heldUntil } = context.restores.hold;
  if ((await countHeldPosts(context, heldUntil)) === 0) await endHold(context.db.queries, { heldUntil });
}
