/** Mails the owners of the first account that a backup failed: the account of the install, at most once a day. */
import { Account } from '../../entities/account.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { storeOwnerNotices } from '../notices/store-owner-notices.ts';

const AGAIN_AFTER_MS = 24 * 3_600_000;

const SUBJECT = 'A backup of Carillon failed';

/** @param reason of the failure, without secrets */
export async function reportFailure(context: Context, reason: string): Promise<void> {
  if (context.mail === null) return;
  const since = new Date(context.clock.now().getTime() - AGAIN_AFTER_MS);
  const text = `${[
    `The scheduled backup of ${context.config.publicUrl} failed: ${reason}.`,
    'Carillon tries again every 15 minutes. It mails again after a day if backups still fail.',
    `Check the space and the permissions of the folder ${context.config.backups.folder} on the server.`,
  ].join('\n\n')}\n`;
  await context.db.em().transactional(async (em) => {
    const [account] = await em.find(Account, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1 });
    const recent = await tables(em)
      .selectFrom('owner_notices')
      .select('id')
      .where('subject', '=', SUBJECT)
      .where('created_at', '>', since.toISOString())
      .limit(1)
      .executeTakeFirst();
    if (account === undefined || recent !== undefined) return;
    await storeOwnerNotices(context, em, account.id, { subject: SUBJECT, text });
  });
}
