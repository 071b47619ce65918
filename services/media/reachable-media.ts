/** The one place that defines which images a caller reaches: every query built from it includes the tenant check. */
import type { Caller } from '../keys/caller.ts';

/** Uploads of a deleted profile are not reachable, not even for the whole account. */
const PROFILE_LIVES = `
  (profile_id is null or exists (select 1 from profiles lp where lp.id = profile_id and lp.deleted_at is null))`;

/** SQL condition on `media` and its parameters, numbered from $1: usable images of the key's account and profile. */
export function reachableMedia(caller: Caller): { condition: string; parameters: unknown[] } {
  const conditions = ['account_id = $1', `state = 'stored'`, PROFILE_LIVES];
  const parameters: unknown[] = [caller.accountId];
  if (caller.profileId !== null) conditions.push(`profile_id = $${parameters.push(caller.profileId)}`);
  return { condition: conditions.join(' and '), parameters };
}
