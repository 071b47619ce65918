/** The limits of the free plan, counted again from the posts. */
import type { Step } from './transitions.ts';
import { ms, type PostRow } from './journal.ts';
import { hold, type Replica } from './replica.ts';

const POSTS_A_DAY = 100;
const ACTIVE_CONNECTIONS = 2;
const DAY_MS = 86_400_000;

/** @param at instant of the transaction; the mirror is in the state after it */
export function checkQuotas(replica: Replica, steps: readonly Step[], at: number): void {
  for (const { old, new: present, reason } of steps) {
    if (present === null || old?.status === present.status) {
      if (present !== null && reason === 'fair_use') checkDeferred(replica, present, at);
      continue;
    }
    const metered = replica.tenants.get(present.account_id)?.plan === 'free' && present.mode === 'live';
    if (present.status === 'processing' && metered) checkBegun(replica, present, at);
    if (present.status === 'sent' && metered) checkDay(replica, present, at);
    if (present.error_code === 'connection_limit_exceeded') checkRefused(replica, present, at);
  }
}

function checkBegun(replica: Replica, post: PostRow, at: number): void {
  checkDay(replica, post, at);
  const active = replica.active(post.account_id, at);
  hold(
    active.length <= ACTIVE_CONNECTIONS,
    '6 quotas',
    () => `${replica.nameOf(post)} goes out on connection ${active.length} of a free account`,
  );
}

function checkDay(replica: Replica, post: PostRow, at: number): void {
  const used = replica.usedToday(post.account_id, at);
  hold(used <= POSTS_A_DAY, '6 quotas', () => `${replica.nameOf(post)} is post ${used} of the day of a free account`);
}

function checkDeferred(replica: Replica, post: PostRow, at: number): void {
  const used = replica.usedToday(post.account_id, at);
  const describe = () => `${replica.nameOf(post)} was deferred to ${post.scheduled_for} after ${used} posts of its day`;
  const counted = used + replica.freedInStep(post.account_id).length;
  const isUsedUp = used <= POSTS_A_DAY && counted >= POSTS_A_DAY;
  hold(replica.tenants.get(post.account_id)?.plan === 'free' && isUsedUp, '6 quotas', describe);
  hold(ms(post.scheduled_for ?? '') === (Math.floor(at / DAY_MS) + 1) * DAY_MS, '6 quotas', describe);
}

function checkRefused(replica: Replica, post: PostRow, at: number): void {
  const active = replica.active(post.account_id, at);
  const freed = replica.freedInStep(post.account_id).map(({ connection_id: id }) => id);
  const counted = new Set([...active, ...freed]);
  const full = counted.size >= ACTIVE_CONNECTIONS && !active.includes(post.connection_id);
  hold(
    full && replica.tenants.get(post.account_id)?.plan === 'free',
    '6 quotas',
    () => `${replica.nameOf(post)} was refused beside ${counted.size} active connections`,
  );
}
