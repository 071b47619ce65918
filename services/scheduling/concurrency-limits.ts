/**
 * Chooses which due posts a process claims next, within concurrency limits. Each platform has a limit of concurrent
 * sends, and each connection has a share of it. One account may hold at most half of a platform's limit, and accounts
 * take turns. Posts that wait for an AI model may also hold at most half. A model that hangs, or thousands of due
 * posts, therefore cannot block the others. Nor can immediate posts, which are sent without asking for capacity: they
 * count for their connections only. Pure.
 */
import { type PlatformRegistry, PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';

/** A send, as the limits count it. */
export interface CountedSend {
  readonly accountId: string;
  readonly connectionId: string;
  readonly platformId: string;
  /** Whether it waits, or will wait, for a model before its platform is called. */
  readonly awaitsModel: boolean;
  /** Whether it was requested for now. */
  readonly isImmediate: boolean;
}

/** A post that is due or in progress. */
export interface Candidate extends CountedSend {
  readonly id: string;
}

/** Number of sends in progress, by the id of a platform, a connection, or an account on a platform. */
export type InProgress = ReadonlyMap<string, number>;

/** Key of an account's share of a platform's concurrency limit. */
export function shareOf({ accountId, platformId }: Pick<Candidate, 'accountId' | 'platformId'>): string {
  return `${accountId} ${platformId}`;
}

/** Key of the share of a platform's limit that posts waiting for a model have. */
function modelShareOf({ platformId }: Pick<Candidate, 'platformId'>): string {
  return `model ${platformId}`;
}

/** Platforms with capacity for another send. */
export function platformsWithCapacity(platforms: PlatformRegistry, inProgress: InProgress): string[] {
  return PLATFORM_IDS.filter((id) => (inProgress.get(id) ?? 0) < platformOf(platforms, id).concurrency.perProcess);
}

/**
 * Connections, accounts on a platform, and platforms' model-waiting posts that have used up their share of the limit.
 */
export function fullShares(
  platforms: PlatformRegistry,
  sends: readonly CountedSend[],
): { readonly connections: string[]; readonly accounts: string[]; readonly models: string[] } {
  const inProgress = countInProgress(sends);
  const full = sends.filter(
    (send) => (inProgress.get(send.connectionId) ?? 0) >= shares(platforms, send).perConnection,
  );
  const spread = sends.filter((send) => (inProgress.get(shareOf(send)) ?? 0) >= shares(platforms, send).perAccount);
  const models = sends.filter((send) => (inProgress.get(modelShareOf(send)) ?? 0) >= shares(platforms, send).perModel);
  return {
    connections: [...new Set(full.map(({ connectionId }) => connectionId))],
    accounts: [...new Set(spread.map(shareOf))],
    models: [...new Set(models.map(({ platformId }) => platformId))],
  };
}

/**
 * Platforms in `platformIds` to scan further for: the candidates found so far do not fill every free place with a different
 * account.
 */
export function platformsToFill(
  platforms: PlatformRegistry,
  platformIds: readonly string[],
  found: readonly Candidate[],
  inProgress: InProgress,
): string[] {
  return platformIds.filter((id) => {
    const accounts = new Set(found.filter(({ platformId }) => platformId === id).map(({ accountId }) => accountId));
    return (inProgress.get(id) ?? 0) + accounts.size < platformOf(platforms, id).concurrency.perProcess;
  });
}

/** Whether another send fits beside those in progress. */
export function hasPlace(platforms: PlatformRegistry, candidate: CountedSend, sends: readonly CountedSend[]): boolean {
  return fits(platforms, candidate, countInProgress(sends));
}

/** Counts sends per platform, per connection and per account on a platform. */
export function countInProgress(sends: readonly CountedSend[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const send of sends) count(counts, send);
  return counts;
}

/**
 * Picks posts in turns while there is capacity: the longest due post of each account, then a second of each, and so on.
 * Within an account it picks one post of each connection, then a second of each.
 *
 * @param candidates longest due first
 */
export function pickFairly(
  platforms: PlatformRegistry,
  candidates: readonly Candidate[],
  inProgress: InProgress,
): Candidate[] {
  const counts = new Map(inProgress);
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

function count(counts: Map<string, number>, send: CountedSend): void {
  for (const name of countedAs(send)) counts.set(name, (counts.get(name) ?? 0) + 1);
}

function countedAs(send: CountedSend): string[] {
  // Requests start any number of them, for as long as a platform or a model hangs.
  if (send.isImmediate) return [send.connectionId];
  return [send.platformId, send.connectionId, shareOf(send), ...(send.awaitsModel ? [modelShareOf(send)] : [])];
}

function fits(platforms: PlatformRegistry, candidate: CountedSend, counts: InProgress): boolean {
  const { perProcess, perConnection, perAccount, perModel } = shares(platforms, candidate);
  return (
    (counts.get(candidate.platformId) ?? 0) < perProcess &&
    (counts.get(candidate.connectionId) ?? 0) < perConnection &&
    (counts.get(shareOf(candidate)) ?? 0) < perAccount &&
    (!candidate.awaitsModel || (counts.get(modelShareOf(candidate)) ?? 0) < perModel)
  );
}

function shares(platforms: PlatformRegistry, { platformId }: CountedSend) {
  const { perProcess, perConnection } = platformOf(platforms, platformId).concurrency;
  const half = Math.max(1, Math.floor(perProcess / 2));
  return { perProcess, perConnection, perAccount: half, perModel: half };
}
