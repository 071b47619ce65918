/**
 * Stores an email to the owners of an account, for a worker to send; does nothing when no mail server is configured.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Owner } from '../../entities/owner.ts';
import { OwnerNotice } from '../../entities/owner-notice.ts';
import type { Context } from '../context.ts';

/** Plain text; the subject is one line. */
export interface NoticeText {
  readonly subject: string;
  readonly text: string;
}

/** Runs in the transaction of the change that it reports. */
export async function storeOwnerNotices(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  { subject, text }: NoticeText,
): Promise<void> {
  if (context.mail === null) return;
  const now = context.clock.now();
  const owners = await em.find(Owner, { accountId, role: 'owner' });
  const notices = owners.map((owner) => ({
    id: context.random.uuid(),
    ownerId: owner.id,
    subject,
    text,
    createdAt: now,
    nextAttemptAt: now,
  }));
  if (notices.length > 0) await em.insertMany(OwnerNotice, notices);
}
