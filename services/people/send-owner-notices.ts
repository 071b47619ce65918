/**
 * Sends emails to owners, each at most once. The row is set to `sending` before the mail server is called, and an email
 * is retried only if the server cannot have accepted it. An email that a crash interrupts stays `sending` and is lost.
 */
import { query } from '../../entities/query.ts';
import { MailFailure } from '../../platforms/mail.ts';
import type { Context } from '../context.ts';

/** Milliseconds to wait after the first failed session, the second, …; after the last one the email is given up. */
const WAITS: readonly number[] = [1, 5, 30, 120, 360].map((minutes) => minutes * 60_000);

/** Timeout of the mail server for one email, in real milliseconds. */
const SESSION_MS = 10_000;

interface ClaimedNotice {
  id: string;
  subject: string;
  text: string;
  attempts: number;
  created_at: string;
  email: string;
}

const CLAIM = `
  update owner_notices n set status = 'sending', attempts = n.attempts + 1 from owners o
  where o.id = n.owner_id and n.id = (
    select id from owner_notices where status = 'pending' and next_attempt_at <= $1
    order by next_attempt_at, id limit 1 for update skip locked)
  returning n.id, n.subject, n.text, n.attempts, n.created_at, o.email`;

const SETTLE = `
  update owner_notices set status = $2, next_attempt_at = coalesce($3, next_attempt_at) where id = $1 and status = 'sending'`;

const NEXT = `
  select extract(epoch from min(next_attempt_at)) * 1000 as at from owner_notices where status = 'pending'`;

/** @returns number of emails tried */
export async function sendOwnerNotices(context: Context, signal: AbortSignal): Promise<number> {
  let tried = 0;
  while (context.mail !== null && !signal.aborted) {
    const [notice] = await query<ClaimedNotice>(context.db.em(), CLAIM, [context.clock.now()]);
    if (notice === undefined) break;
    await sendNotice(context, notice);
    tried += 1;
  }
  return tried;
}

/** When the next email is due; null when none is waiting or no mail server is configured. */
export async function nextNoticeAt(context: Context): Promise<Date | null> {
  if (context.mail === null) return null;
  const [row] = await query<{ at: string | null }>(context.db.em(), NEXT);
  return row?.at == null ? null : new Date(Number(row.at));
}

async function sendNotice(context: Context, notice: ClaimedNotice): Promise<void> {
  const { id, subject, text, attempts, created_at: date, email: to } = notice;
  const { mail } = context;
  if (mail === null) return;
  const message = { messageId: `<${id}@${mail.domain}>`, date: new Date(date), to, subject, text, images: [] };
  try {
    await mail.send(message, context.clock.deadline(SESSION_MS));
    await query(context.db.em(), SETTLE, [id, 'sent', null]);
  } catch (error) {
    const wait = isSafeToRepeat(error) ? WAITS[attempts - 1] : undefined;
    const next = wait === undefined ? null : new Date(context.clock.now().getTime() + wait);
    const stage = error instanceof MailFailure ? error.stage : null;
    // The error may contain the address, so it is not logged.
    context.log.warn({ notice: id, stage, triedAgainAt: next }, 'a mail to an owner was not sent');
    await query(context.db.em(), SETTLE, [id, next === null ? 'failed' : 'pending', next]);
  }
}

/** Whether the server cannot have accepted the email, and may accept it later. */
function isSafeToRepeat(error: unknown): boolean {
  if (!(error instanceof MailFailure)) return false;
  const { stage, reply } = error;
  if (stage === 'session') return true;
  return reply === null ? stage === 'recipient' : reply < 500;
}
