/** The one place that says which images a caller reaches: the tenant check is part of every query made from it. */
import type { Caller } from '../keys/caller.ts';

/** What a deleted profile has uploaded is out of reach, of the whole account too. */
const PROFILE_LIVES = `
  (profile_id is null or exists (select 1 from profiles lp where lp.id = profile_id and lp.deleted_at is null))`;

/** SQL condition on `media` and its parameters, numbered from $1: images of the key's account and profile that can be used. */
export function reachableMedia(caller: Caller): { condition: string; parameters: unknown[] } {
  const conditions = ['account_id = $1', `state = 'stored'`, PROFILE_LIVES];
  const parameters: unknown[] = [caller.accountId];
  if (caller.profileId !== null) conditions.push(`profile_id = $${parameters.push(caller.profileId)}`);
  return { condition: conditions.join(' and '), parameters };
}
