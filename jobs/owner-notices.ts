/** ownerNotices: sends mails to owners. Safe to run in parallel: one worker claims each mail, permanently. */
import { nextNoticeAt, sendOwnerNotices } from '../services/notices/send-owner-notices.ts';
import type { Loop } from './loop.ts';

export const ownerNotices: Loop = {
  name: 'ownerNotices',
  run: sendOwnerNotices,
  nextDueAt: nextNoticeAt,
};
