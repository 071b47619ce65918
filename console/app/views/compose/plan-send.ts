/** What a press of the button sends: the post of a request for approval under its id, and new posts to the other connections. */
import { instantOfField } from '../../ui/local-time.ts';
import { followsPlan } from './approval.ts';
import type { ApprovalAnswer, Composition } from './composition.ts';
import { type Directory, type Planned, planRequests, whenFields, withReplaced } from './requests.ts';

export function planSend(composition: Composition, directory: Directory, now: number): Planned[] {
  const { approval, targets, drafts } = composition;
  const isAsked = (id: string) => id === approval?.connectionId;
  const planFor = (ids: readonly string[]) =>
    planRequests({ ...composition, targets: ids }, directory).map((request): Planned => {
      return { ...request, input: { ...request.input, ...whenFields(composition) } };
    });
  const created = withReplaced(planFor(targets.filter((id) => !isAsked(id))), drafts);
  if (approval === null) return created;
  const answer = answerOf(composition, approval, now);
  const answers = planFor(targets.filter(isAsked)).map((request) => ({ ...request, approval: answer }));
  return [...answers, ...created];
}

function answerOf(
  composition: Composition,
  approval: NonNullable<Composition['approval']>,
  now: number,
): ApprovalAnswer {
  const { when, zone } = composition;
  return {
    ...approval,
    followsPlan: followsPlan(composition, approval.plan, now),
    at: when === 'time' ? instantOfField(composition, zone) : null,
  };
}
