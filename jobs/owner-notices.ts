/**
 * ownerNotices: sends mails to owners, and stores the weekly digest when it is due. Safe to run in parallel: one worker
 * claims each mail, permanently, and one each digest.
 */
import { nextDigestDueAt, sendDigests } from '../services/digests/send-digests.ts';
import { nextNoticeAt, sendOwnerNotices } from '../services/notices/send-owner-notices.ts';
import type { Loop } from './loop.ts';

export const ownerNotices: Loop = {
  name: 'ownerNotices',
  newWorkWithinMs: 1_000,
  // Mails that are stored go first: digests of many accounts fall due together.
  run: async (context, signal) => (await sendOwnerNotices(context, signal)) + (await sendDigests(context, signal)),
  nextDueAt: async (context) => {
    const times = [await nextNoticeAt(context), await nextDigestDueAt(context)].filter((time) => time !== null);
    return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
  },
};
