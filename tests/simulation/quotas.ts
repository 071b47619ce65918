/** The limits of the free plan, counted again from the posts. */
import type { Step } from './transitions.ts';
import { ms, type PostRow } from './journal.ts';
import { hold, type Mirror } from './mirror.ts';

const POSTS_A_DAY = 100;
const ACTIVE_CONNECTIONS = 2;
const DAY_MS = 86_400_000;

/** @param at instant of the transaction; the mirror is in the state after it */
export function checkQuotas(mirror: Mirror, steps: readonly Step[], at: number): void {
  for (const { old, new: present, reason } of steps) {
    if (present === null || old?.status === present.status) {
      if (present !== null && reason === 'fair_use') checkDeferred(mirror, present, at);
      continue;
    }
    const metered = mirror.tenants.get(present.account_id)?.plan === 'free' && present.mode === 'live';
    if (present.status === 'processing' && metered) checkBegun(mirror, present, at);
    if (present.status === 'sent' && metered) checkDay(mirror, present, at);
    if (present.error_code === 'connection_limit_exceeded') checkRefused(mirror, present, at);
  }
}

function checkBegun(mirror: Mirror, post: PostRow, at: number): void {
  checkDay(mirror, post, at);
  const active = mirror.active(post.account_id, at);
  hold(
    active.length <= ACTIVE_CONNECTIONS,
    '6 quotas',
    () => `${mirror.nameOf(post)} goes out on connection ${active.length} of a free account`,
  );
}

function checkDay(mirror: Mirror, post: PostRow, at: number): void {
  const used = mirror.usedToday(post.account_id, at);
  hold(used <= POSTS_A_DAY, '6 quotas', () => `${mirror.nameOf(post)} is post ${used} of the day of a free account`);
}

function checkDeferred(mirror: Mirror, post: PostRow, at: number): void {
  const used = mirror.usedToday(post.account_id, at);
  const told = () => `${mirror.nameOf(post)} was deferred to ${post.scheduled_for} after ${used} posts of its day`;
  hold(mirror.tenants.get(post.account_id)?.plan === 'free' && used === POSTS_A_DAY, '6 quotas', told);
  hold(ms(post.scheduled_for ?? '') === (Math.floor(at / DAY_MS) + 1) * DAY_MS, '6 quotas', told);
}

function checkRefused(mirror: Mirror, post: PostRow, at: number): void {
  const active = mirror.active(post.account_id, at);
  const full = active.length >= ACTIVE_CONNECTIONS && !active.includes(post.connection_id);
  hold(
    full && mirror.tenants.get(post.account_id)?.plan === 'free',
    '6 quotas',
    () => `${mirror.nameOf(post)} was refused beside ${active.length} active connections`,
  );
}
