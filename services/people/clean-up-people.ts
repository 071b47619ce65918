/** Deletes expired links and sign-ins, old emails, and expired throttle counts. */
import { OwnerLink } from '../../entities/owner-link.ts';
import { OwnerNotice } from '../../entities/owner-notice.ts';
import { SignInWait } from '../../entities/sign-in-wait.ts';
import type { Context } from '../context.ts';
import { cleanUpChallenges } from './passkeys/challenges.ts';
import { FORGOTTEN_AFTER_MS } from './login-throttle.ts';
import { cleanUpSignIns } from './sign-ins.ts';

/** How long an email to an owner is kept, sent or not. */
const NOTICES_KEPT_MS = 30 * 86_400_000;

export async function cleanUpPeople(context: Context): Promise<void> {
  const now = context.clock.now();
  await cleanUpSignIns(context);
  await cleanUpChallenges(context);
  const em = context.db.em();
  await em.nativeDelete(OwnerLink, { expiresAt: { $lte: now } });
  await em.nativeDelete(OwnerNotice, { createdAt: { $lt: new Date(now.getTime() - NOTICES_KEPT_MS) } });
  await em.nativeDelete(SignInWait, { lastTriedAt: { $lt: new Date(now.getTime() - FORGOTTEN_AFTER_MS) } });
}
