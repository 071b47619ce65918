/** A request for approval, as the API lists it. */
import type { Outputs } from '../../data/trpc.ts';

export type Request = Outputs['approvals']['list']['approvals'][number];
