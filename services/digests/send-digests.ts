/**
 * Stores the weekly digest of each owner, for the mails to be sent. The update that plans the next one is the claim, in the
 * transaction of the mail: of two workers one stores it, and after a kill another does. Weeks that passed while nothing
 * ran get one digest, about the last of them.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { storeNoticesTo } from '../notices/store-owner-notices.ts';
import { dateOrNull } from '../timestamp.ts';
import { digestText } from './digest-text.ts';
import { digestZone, lastWeek, nextDigestAt } from './digest-week.ts';
import { readDigest } from './read-digest.ts';

/** Most owners in one round: all of a zone are due at once, and other mails wait meanwhile. */
const OWNERS_AT_ONCE = 50;

/** Condition of owners_digest_index. */
const ENABLED = `digest and role = 'owner'`;

// An owner without an instant is new, and is planned at once.
const lockDue = statement('lock the next owner whose digest is due', {
  parameters: { now: 'timestamptz' },
  result: { id: 'uuid', account_id: 'uuid', digest_zone: 'text?', digest_at: 'timestamptz?' },
  sql: ({ now }) => `
    select id, account_id, digest_zone, digest_at from owners
    where ${ENABLED} and coalesce(digest_at, created_at) <= ${now}
    order by coalesce(digest_at, created_at) limit 1 for no key update skip locked`,
});

type DueOwner = RowOf<typeof lockDue>;

const planNext = statement('plan the next digest of an owner', {
  parameters: { id: 'uuid', at: 'timestamptz' },
  sql: ({ id, at }) => `update owners set digest_at = ${at} where id = ${id}`,
});

const findNext = statement('find when the next digest is due', {
  result: { at: 'timestamptz?' },
  sql: () => `select min(coalesce(digest_at, created_at)) as at from owners where ${ENABLED}`,
});

/** @returns how many owners were handled: planned, mailed, or without anything to report */
export async function sendDigests(context: Context, signal: AbortSignal): Promise<number> {
  if (context.mail === null) return 0;
  let handled = 0;
  while (handled < OWNERS_AT_ONCE && !signal.aborted) {
    const isDone = await context.db.em().transactional(async (em: SqlEntityManager) => {
      const [owner] = await lockDue(em, { now: context.clock.now() });
      if (owner === undefined) return true;
      await handle(context, em, owner);
      return false;
    });
    if (isDone) break;
    handled += 1;
  }
  return handled;
}

/** When the next digest is due; null without owners who want one, and without a mail server. */
export async function nextDigestDueAt(context: Context): Promise<Date | null> {
  if (context.mail === null) return null;
  const [next] = await findNext(context.db.queries);
  return dateOrNull(next?.at ?? null);
}

async function handle(context: Context, em: SqlEntityManager, owner: DueOwner): Promise<void> {
  const { config, platforms } = context;
  const now = context.clock.now();
  const zone = digestZone(owner.digest_zone);
  await planNext(em, { id: owner.id, at: nextDigestAt(zone, now) });
  if (owner.digest_at === null) return;
  const week = lastWeek(zone, now);
  const digest = await readDigest(em, owner.account_id, { week, now, approvalDays: config.approvalDays });
  if (digest === null) return;
  await storeNoticesTo(context, em, [owner.id], digestText(digest, { week, publicUrl: config.publicUrl, platforms }));
}
