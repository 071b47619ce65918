/** The error of a post that a stop keeps from going out. */
import type { ItemError } from '../../errors/item-error.ts';
import { timestamp } from '../timestamp.ts';

/** Columns of a stop. */
export interface StopFacts {
  readonly kind: string;
  readonly reason: string | null;
  readonly started_at: string;
  readonly started_by_name: string;
}

/** SQL: the same as one value, of `stops s`. */
export const STOP_FACTS = `jsonb_build_object('kind', s.kind, 'reason', s.reason, 'started_at', s.started_at,
  'started_by_name', s.started_by_name)`;

const WHAT: Readonly<Record<string, string>> = {
  account: 'of this account',
  profile: 'of this profile',
  key: 'of this API key',
  grant: 'of this agent',
};

export function stoppedError({ kind, reason, started_at: at, started_by_name: by }: StopFacts): ItemError {
  const why = reason === null ? '' : ` (${reason})`;
  const message = `Nothing ${WHAT[kind] ?? ''} goes out since ${timestamp(at)}: ${by} has stopped it${why}. Drafts can be written; an owner releases the stop.`;
  return { code: 'stopped', message };
}
