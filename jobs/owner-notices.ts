/** ownerNotices: sends mails to owners. Safe to run side by side: each mail is claimed by one worker, for good. */
import { nextNoticeAt, sendOwnerNotices } from '../services/people/send-owner-notices.ts';
import type { Loop } from './loop.ts';

export const ownerNotices: Loop = { name: 'ownerNotices', run: sendOwnerNotices, nextDueAt: nextNoticeAt };
