/** Who gets the address of a calendar must be allowed to read what it shows: posts, and the free slots of queues. */
import type { Caller } from '../access/caller.ts';
import { requireScope } from '../access/require-scope.ts';

/** @throws ServiceError forbidden */
export function requireSight(caller: Caller, freeSlots: boolean): void {
  requireScope(caller, 'posts:read');
  if (freeSlots) requireScope(caller, 'connections:read');
}
