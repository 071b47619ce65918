/**
 * Which due posts a process takes on next. Every platform is a lane of its own with room for so many
 * sends, every connection has its share of the lane, no account may hold more than half of it, and
 * accounts take turns; posts that wait for a model before they go out may hold half of it too: one that hangs, or has thousands due, never keeps the others waiting. Pure.
 */
import { type PlatformRegistry, PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';

/** A post that is due. */
export interface Candidate {
  readonly id: string;
  readonly accountId: string;
  readonly connectionId: string;
  readonly platformId: string;
  /** Whether it waits for a model, or will, before its platform is called. */
  readonly awaitsModel: boolean;
}

/** How many sends are under way, by the id of a platform, a connection or an account on a platform. */
export type UnderWay = ReadonlyMap<string, number>;

/** Names an account's share of a lane. */
export function shareOf({ accountId, platformId }: Pick<Candidate, 'accountId' | 'platformId'>): string {
  return `${accountId} ${platformId}`;
}

/** Names the share of a lane that posts have which wait for a model. */
function modelShareOf({ platformId }: Pick<Candidate, 'platformId'>): string {
  return `model ${platformId}`;
}

/** Platforms that can take a send more. */
export function openLanes(platforms: PlatformRegistry, underWay: UnderWay): string[] {
  return PLATFORM_IDS.filter((id) => (underWay.get(id) ?? 0) < platformOf(platforms, id).concurrency.perProcess);
}

/** Connections, accounts on a platform, and platforms' posts that wait for a model, that have used up their share of a lane. */
export function fullShares(
  platforms: PlatformRegistry,
  sends: readonly Omit<Candidate, 'id'>[],
): { readonly connections: string[]; readonly accounts: string[]; readonly models: string[] } {
  const underWay = countUnderWay(sends);
  const full = sends.filter((send) => (underWay.get(send.connectionId) ?? 0) >= shares(platforms, send).perConnection);
  const spread = sends.filter((send) => (underWay.get(shareOf(send)) ?? 0) >= shares(platforms, send).perAccount);
  const models = sends.filter((send) => (underWay.get(modelShareOf(send)) ?? 0) >= shares(platforms, send).perModel);
  return {
    connections: [...new Set(full.map(({ connectionId }) => connectionId))],
    accounts: [...new Set(spread.map(shareOf))],
    models: [...new Set(models.map(({ platformId }) => platformId))],
  };
}

/** Those of `lanes` for which more should be looked for: what was found does not give every free place to another account. */
export function lanesToFill(
  platforms: PlatformRegistry,
  lanes: readonly string[],
  found: readonly Candidate[],
  underWay: UnderWay,
): string[] {
  return lanes.filter((id) => {
    const accounts = new Set(found.filter(({ platformId }) => platformId === id).map(({ accountId }) => accountId));
    return (underWay.get(id) ?? 0) + accounts.size < platformOf(platforms, id).concurrency.perProcess;
  });
}

/** Counts sends by platform, by connection and by account on a platform. */
export function countUnderWay(sends: readonly Omit<Candidate, 'id'>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const send of sends) count(counts, send);
  return counts;
}

/**
 * Picks in turns: one of every account, the longest due first, then a second of each, as long as there
 * is room; and within an account one of every connection, then a second of each.
 *
 * @param candidates longest due first
 */
export function pickFairly(
  platforms: PlatformRegistry,
  candidates: readonly Candidate[],
  underWay: UnderWay,
): Candidate[] {
  const counts = new Map(underWay);
  const ofAccounts = Map.groupBy(candidates, shareOf).values();
  const inOrder = inTurns(
    [...ofAccounts].map((ofAccount) => inTurns([...Map.groupBy(ofAccount, (one) => one.connectionId).values()])),
  );
  return inOrder.filter((candidate) => {
    const picked = fits(platforms, candidate, counts);
    if (picked) count(counts, candidate);
    return picked;
  });
}

/** The first of every list, then the second of each, and so on. */
function inTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const turns: Item[][] = [];
  for (const list of lists) for (const [turn, item] of list.entries()) (turns[turn] ??= []).push(item);
  return turns.flat();
}

function count(counts: Map<string, number>, send: Omit<Candidate, 'id'>): void {
  const names = [send.platformId, send.connectionId, shareOf(send), ...(send.awaitsModel ? [modelShareOf(send)] : [])];
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
}

function fits(platforms: PlatformRegistry, candidate: Candidate, counts: UnderWay): boolean {
  const { perProcess, perConnection, perAccount, perModel } = shares(platforms, candidate);
  return (
    (counts.get(candidate.platformId) ?? 0) < perProcess &&
    (counts.get(candidate.connectionId) ?? 0) < perConnection &&
    (counts.get(shareOf(candidate)) ?? 0) < perAccount &&
    (!candidate.awaitsModel || (counts.get(modelShareOf(candidate)) ?? 0) < perModel)
  );
}

function shares(platforms: PlatformRegistry, { platformId }: Omit<Candidate, 'id'>) {
  const { perProcess, perConnection } = platformOf(platforms, platformId).concurrency;
  const half = Math.max(1, Math.floor(perProcess / 2));
  return { perProcess, perConnection, perAccount: half, perModel: half };
}
