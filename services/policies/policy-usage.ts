/** What goes out under a policy: when, and for which fees. Grows while posts of one request are checked. */
import type { PolicyPost } from './policy-post.ts';

export interface PolicyUsage {
  /** When posts go out, in milliseconds, sorted. */
  readonly times: number[];
  /** Cents by month (UTC), such as 2027-01. */
  readonly spentCents: Map<string, number>;
}

export function emptyUsage(): PolicyUsage {
  return { times: [], spentCents: new Map() };
}

/** Counts a post that goes out, for the next ones. */
export function countPost(
  { times, spentCents }: PolicyUsage,
  { feeCents }: Pick<PolicyPost, 'feeCents'>,
  at: Date,
): void {
  const index = times.findIndex((time) => time > at.getTime());
  times.splice(index === -1 ? times.length : index, 0, at.getTime());
  addFee(spentCents, at, feeCents);
}

export function addFee(spentCents: Map<string, number>, at: Date, cents: number): void {
  spentCents.set(monthOf(at), spentIn(spentCents, at) + cents);
}

export function spentIn(spentCents: ReadonlyMap<string, number>, at: Date): number {
  return spentCents.get(monthOf(at)) ?? 0;
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}
