/** Deletes expired links and sign-ins, old emails, and expired throttle counts. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { tidyChallenges } from './passkeys/challenges.ts';
import { FORGOTTEN_AFTER_MS } from './login-throttle.ts';
import { tidySignIns } from './sign-ins.ts';

/** How long an email to an owner is kept, sent or not. */
const NOTICES_KEPT_MS = 30 * 86_400_000;

export async function tidyPeople(context: Context): Promise<void> {
  const now = context.clock.now();
  await tidySignIns(context);
  await tidyChallenges(context);
  await query(context.db.em(), 'delete from owner_links where expires_at <= $1', [now]);
  await query(context.db.em(), 'delete from owner_notices where created_at < $1', [
    new Date(now.getTime() - NOTICES_KEPT_MS),
  ]);
  const forgotten = new Date(now.getTime() - FORGOTTEN_AFTER_MS);
  await query(context.db.em(), 'delete from sign_in_waits where last_tried_at < $1', [forgotten]);
}
