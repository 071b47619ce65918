/** The pending request for approval of a post that is edited in Compose, and the time that it asks for. */
import type { Outputs } from '../../data/api-types.ts';
import { instantOfField } from '../../ui/local-time.ts';
import type { Composition, WaitingApproval } from './composition.ts';
import { localTimeOf } from './search.ts';

type Post = Outputs['posts']['get']['post'];
export type TimeFields = Pick<Composition, 'when' | 'time' | 'isSecond' | 'zone'>;

export function waitingApproval({ id, connectionId, approval }: Post): WaitingApproval | null {
  if (approval?.state !== 'pending') return null;
  const { requestedAt, requestedBy, plan } = approval;
  return { postId: id, connectionId, requestedAt, requestedBy: requestedBy.name, plan };
}

/** When the post goes out if it is approved now: a time that has passed means at once. */
export function planFields({ queue, scheduledFor }: WaitingApproval['plan'], now: number): Partial<TimeFields> {
  if (queue) return { when: 'queue' };
  if (scheduledFor === null || hasPassed(scheduledFor, now)) return { when: 'now' };
  return { when: 'time', ...localTimeOf(scheduledFor) };
}

function hasPassed(time: string, now: number): boolean {
  return Date.parse(time) <= now;
}

/** What to say about the time that was asked for when it has passed; null when it has not, or does not matter. */
export function latenessWords(
  composition: TimeFields,
  { scheduledFor }: WaitingApproval['plan'],
  now: number,
): string | null {
  if (scheduledFor === null || !hasPassed(scheduledFor, now)) return null;
  const { when } = composition;
  if (when === 'now') return 'That time has passed, so it goes out at once unless you choose another one.';
  const at = when === 'time' ? instantIn(composition) : null;
  return at !== null && at <= now ? 'That time has passed: choose Now or another time.' : null;
}

/** Whether approving sends the post when the composition says. Approving takes no other time. */
export function followsPlan(composition: TimeFields, plan: WaitingApproval['plan'], now: number): boolean {
  const planned = { ...composition, ...planFields(plan, now) };
  return (
    planned.when === composition.when && (planned.when !== 'time' || instantIn(planned) === instantIn(composition))
  );
}

function instantIn(fields: TimeFields): number | null {
  return instantOfField(fields, fields.zone);
}
