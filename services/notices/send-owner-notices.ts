/**
 * Sends emails to owners, each at most once. The row is set to `sending` before the mail server is called, and an email
 * is retried only if the server cannot have accepted it. An email that a crash interrupts stays `sending` and is lost.
 */
import { columns } from '../../entities/column-lists.ts';
import { OwnerNotice } from '../../entities/owner-notice.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { MailFailure } from '../../platforms/mail.ts';
import type { Context } from '../context.ts';
import { dateOrNull } from '../timestamp.ts';
import { roundEnd } from '../workers/round-end.ts';

/** Milliseconds to wait after the first failed session, the second, …; after the last one the email is given up. */
const WAITS: readonly number[] = [1, 5, 30, 120, 360].map((minutes) => minutes * 60_000);

/** Timeout of the mail server for one email, in real milliseconds. */
const SESSION_MS = 10_000;

const NOTICE = columns('owner_notices', ['id', 'subject', 'text', 'attempts', 'created_at'], 'n');
const OWNER = columns('owners', ['email'], 'o');

const claimNotice = statement('claim the next email to an owner', {
  parameters: { now: 'timestamptz' },
  result: { ...NOTICE.types, ...OWNER.types },
  sql: ({ now }) => `
    update owner_notices n set status = 'sending', attempts = n.attempts + 1 from owners o
    where o.id = n.owner_id and n.id = (
      select id from owner_notices where status = 'pending' and next_attempt_at <= ${now}
      order by next_attempt_at, id limit 1 for update skip locked)
    returning ${NOTICE.sql}, ${OWNER.sql}`,
});

type ClaimedNotice = RowOf<typeof claimNotice>;

/** @returns number of emails tried */
export async function sendOwnerNotices(context: Context, signal: AbortSignal): Promise<number> {
  let tried = 0;
  const isOver = roundEnd(context, signal);
  while (context.mail !== null && !isOver()) {
    const [notice] = await claimNotice(context.db.em(), { now: context.clock.now() });
    if (notice === undefined) break;
    await sendNotice(context, notice);
    tried += 1;
  }
  return tried;
}

/** When the next email is due; null when none is waiting or no mail server is configured. */
export async function nextNoticeAt(context: Context): Promise<Date | null> {
  if (context.mail === null) return null;
  const { at } = await tables(context.db.queries)
    .selectFrom('owner_notices')
    .select(({ fn }) => fn.min<string | null>('next_attempt_at').as('at'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return dateOrNull(at);
}

async function sendNotice(context: Context, notice: ClaimedNotice): Promise<void> {
  const { id, subject, text, attempts, created_at: date, email: to } = notice;
  const { mail } = context;
  if (mail === null) return;
  const message = { messageId: `<${id}@${mail.domain}>`, date: new Date(date), to, subject, text, images: [] };
  try {
    await mail.send(message, context.clock.deadline(SESSION_MS));
    await settleNotice(context, id, { status: 'sent' });
  } catch (error) {
    const wait = isSafeToRepeat(error) ? WAITS[attempts - 1] : undefined;
    const nextAttemptAt = wait === undefined ? null : new Date(context.clock.now().getTime() + wait);
    const stage = error instanceof MailFailure ? error.stage : null;
    // The error may contain the address, so it is not logged.
    context.log.warn({ notice: id, stage, triedAgainAt: nextAttemptAt }, 'a mail to an owner was not sent');
    await settleNotice(
      context,
      id,
      nextAttemptAt === null ? { status: 'failed' } : { status: 'pending', nextAttemptAt },
    );
  }
}

async function settleNotice(
  context: Context,
  id: string,
  outcome: Partial<Pick<OwnerNotice, 'status' | 'nextAttemptAt'>>,
): Promise<void> {
  await context.db.em().nativeUpdate(OwnerNotice, { id, status: 'sending' }, outcome);
}

/** Whether the server cannot have accepted the email, and may accept it later. */
function isSafeToRepeat(error: unknown): boolean {
  if (!(error instanceof MailFailure)) return false;
  const { stage, reply } = error;
  if (stage === 'session') return true;
  return reply === null ? stage === 'recipient' : reply < 500;
}
