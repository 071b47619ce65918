/** Says that the text is the post of a request for approval, and what sending it does to the request. */
import type { Connection } from '../../data/connections.ts';
import { useNow } from '../../ui/moment.tsx';
import { PlannedTime } from '../approvals/planned-time.tsx';
import { latenessWords } from './approval.ts';
import type { Composition } from './composition.ts';

export interface ApprovalNoteProps {
  readonly composition: Composition;
  readonly chosen: readonly Connection[];
}

export function ApprovalNote({ composition, chosen }: ApprovalNoteProps) {
  const now = useNow();
  const { approval, when } = composition;
  if (approval === null) return null;
  const { requestedBy, connectionId, plan } = approval;
  const lateness = latenessWords(composition, plan, now);
  const isChosen = chosen.some(({ id }) => id === connectionId);
  return (
    <p className="hint">
      <b dir="auto">{requestedBy}</b> asked for this post, to go out <PlannedTime plan={plan} />.{' '}
      {lateness !== null && `${lateness} `}
      {isChosen ? effectOf(when) : 'Its connection is not chosen, so the request keeps waiting.'}
    </p>
  );
}

function effectOf(when: Composition['when']): string {
  if (when === 'draft') return 'Keeping the draft with changes ends the request.';
  return 'The request waits until you press the button. The post then goes out as it reads here.';
}
