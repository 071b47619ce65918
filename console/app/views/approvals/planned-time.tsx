/** When a post goes out once its request is approved. */
import { Moment } from '../../ui/moment.tsx';
import type { Request } from './request.ts';

export function PlannedTime({ plan }: { plan: Request['approval']['plan'] }) {
  if (plan.scheduledFor !== null) return <Moment at={plan.scheduledFor} />;
  return plan.queue ? 'in the next free slot' : 'at once';
}
