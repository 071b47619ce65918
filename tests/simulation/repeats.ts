/** Posts that repeat automatically because their platform was not available (docs/contract/posts.md#busy-platforms). */
import { type PostRow, ms } from './journal.ts';
import { asks, hold, type Mirror } from './mirror.ts';
import type { Step } from './transitions.ts';

const WAITS_MS = [60_000, 5 * 60_000, 15 * 60_000];
const DAY_MS = 86_400_000;

/** @param at instant of the transaction */
export function checkRepeats(mirror: Mirror, steps: readonly Step[], at: number): void {
  for (const { old, new: present, reason } of steps) {
    if (old === null || present === null) continue;
    const begins = old.status !== 'processing' && present.status === 'processing';
    const told = () => `${mirror.nameOf(present)} was tried ${present.tries} times, and ${old.tries} times before`;
    hold(present.tries === old.tries + (begins ? 1 : 0), '10 repeats', told);
    if (reason === 'platform_unavailable') checkRepeat(mirror, old, present, at);
    if (old.status === 'processing' && present.error_code === 'platform_unavailable') checkGivenUp(mirror, old, at);
  }
}

/** The next time follows from the number of repeats, and a new ledger begins. */
function checkRepeat(mirror: Mirror, old: PostRow, present: PostRow, at: number): void {
  const told = () => `${mirror.nameOf(present)}, repeat ${present.repeats}, goes again at ${present.scheduled_for}`;
  hold(asks(present.text, 'unavailable') && old.scheduled_for !== null, '10 repeats', told);
  hold(present.repeats === old.repeats + 1 && present.generation === old.generation + 1, '10 repeats', told);
  hold(ms(present.scheduled_for ?? '') - at === WAITS_MS[old.repeats], '10 repeats', told);
  const due = ms(old.first_due_at ?? old.scheduled_for ?? '');
  hold(ms(present.first_due_at ?? '') === due, '10 repeats', told);
  hold(ms(present.scheduled_for ?? '') - due <= DAY_MS, '10 repeats', told);
}

/** A scheduled post fails only after three repeats, or when its day would be over. */
function checkGivenUp(mirror: Mirror, old: PostRow, at: number): void {
  if (old.scheduled_for === null) return;
  const wait = WAITS_MS[old.repeats];
  const due = ms(old.first_due_at ?? old.scheduled_for);
  const told = () => `${mirror.nameOf(old)} failed after ${old.repeats} repeats`;
  hold(wait === undefined || at + wait - due > DAY_MS, '10 repeats', told);
}
