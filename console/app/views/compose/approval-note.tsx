/** Says that the text is the post of a request for approval, and what sending it does to the request. */
import type { Connection } from '../../data/connections.ts';
import { useNow } from '../../ui/moment.tsx';
import { PlannedTime } from '../approvals/planned-time.tsx';
import { hasPassed } from './approval.ts';
import type { Composition } from './composition.ts';

export interface ApprovalNoteProps {
  readonly composition: Composition;
  readonly chosen: readonly Connection[];
}

export function ApprovalNote({ composition: { approval, when }, chosen }: ApprovalNoteProps) {
  const now = useNow();
  if (approval === null) return null;
  const { requestedBy, connectionId, plan } = approval;
  const isLate = plan.scheduledFor !== null && hasPassed(plan.scheduledFor, now);
  const isChosen = chosen.some(({ id }) => id === connectionId);
  return (
    <p className="hint">
      <b dir="auto">{requestedBy}</b> asked for this post, to go out <PlannedTime plan={plan} />.{' '}
      {isLate && 'That time has passed, so it goes out at once unless you choose another one. '}
      {isChosen ? effectOf(when) : 'Its connection is not chosen, so the request keeps waiting.'}
    </p>
  );
}

function effectOf(when: Composition['when']): string {
  if (when === 'draft') return 'Keeping the draft with changes ends the request.';
  return 'The request waits until you press the button. The post then goes out as it reads here.';
}
