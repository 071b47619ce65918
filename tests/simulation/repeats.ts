/** Posts that repeat automatically because their platform was not available (docs/contract/posts.md#busy-platforms). */
import { type PostRow, ms } from './journal.ts';
import { hold, type Replica } from './replica.ts';
import type { Step } from './transitions.ts';

const WAITS_MS = [60_000, 5 * 60_000, 15 * 60_000];
const DAY_MS = 86_400_000;

/** @param at instant of the transaction */
export function checkRepeats(replica: Replica, steps: readonly Step[], at: number): void {
  for (const { old, new: present, reason } of steps) {
    if (old === null || present === null) continue;
    const begins = old.status !== 'processing' && present.status === 'processing';
    const describe = () => `${replica.nameOf(present)} was tried ${present.tries} times, and ${old.tries} times before`;
    hold(present.tries === old.tries + (begins ? 1 : 0), '10 repeats', describe);
    if (reason === 'platform_unavailable') checkRepeat(replica, old, present, at);
    if (old.status === 'processing' && present.error_code === 'platform_unavailable') checkGivenUp(replica, old, at);
  }
}

/** The next time follows from the number of repeats, and a new ledger begins. */
function checkRepeat(replica: Replica, old: PostRow, present: PostRow, at: number): void {
  const describe = () =>
    `${replica.nameOf(present)}, repeat ${present.repeats}, goes again at ${present.scheduled_for}`;
  const isExpected = replica.asks(present, 'unavailable') || replica.isDisturbed(present);
  hold(isExpected && old.scheduled_for !== null, '10 repeats', describe);
  hold(present.repeats === old.repeats + 1 && present.generation === old.generation + 1, '10 repeats', describe);
  hold(ms(present.scheduled_for ?? '') - at === WAITS_MS[old.repeats], '10 repeats', describe);
  const due = ms(old.first_due_at ?? old.scheduled_for ?? '');
  hold(ms(present.first_due_at ?? '') === due, '10 repeats', describe);
  hold(ms(present.scheduled_for ?? '') - due <= DAY_MS, '10 repeats', describe);
}

/** A scheduled post fails only after three repeats, or when its day would be over. */
function checkGivenUp(replica: Replica, old: PostRow, at: number): void {
  if (old.scheduled_for === null) return;
  const wait = WAITS_MS[old.repeats];
  const due = ms(old.first_due_at ?? old.scheduled_for);
  const describe = () => `${replica.nameOf(old)} failed after ${old.repeats} repeats`;
  hold(wait === undefined || at + wait - due > DAY_MS, '10 repeats', describe);
}
