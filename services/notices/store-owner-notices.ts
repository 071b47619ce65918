/**
 * Stores an email to owners of an account, for a worker to send; does nothing when no mail server is configured.
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

/** To all owners. Runs in the transaction of the change that it reports. */
export async function storeOwnerNotices(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  notice: NoticeText,
): Promise<void> {
  if (context.mail === null) return;
  const owners = await em.find(Owner, { accountId, role: 'owner' });
  await storeNoticesTo(
    context,
    em,
    owners.map(({ id }) => id),
    notice,
  );
}

/** To some of them. Runs in the transaction of the change that it reports. */
export async function storeNoticesTo(
  context: Context,
  em: SqlEntityManager,
  ownerIds: readonly string[],
  { subject, text }: NoticeText,
): Promise<void> {
  if (context.mail === null || ownerIds.length === 0) return;
  const now = context.clock.now();
  const notices = ownerIds.map((ownerId) => ({
    id: context.random.uuid(),
    ownerId,
    subject,
    text,
    createdAt: now,
    nextAttemptAt: now,
  }));
  await em.insertMany(OwnerNotice, notices);
}
