/** Concurrency limits: which posts are sent next when there is not enough capacity for all. */
import { array, assert, boolean, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../../platforms/registry.ts';
import {
  type Candidate,
  countInProgress,
  fullShares,
  hasPlace,
  platformsToFill,
  platformsWithCapacity,
  pickFairly,
} from '../../../services/scheduling/concurrency-limits.ts';

const platforms = createRegistry({} as never);
const { perProcess, perConnection } = platforms.bluesky.concurrency;

const due = (connectionId: string, posts: number, accountId = `account of ${connectionId}`): Candidate[] =>
  Array.from({ length: posts }, (_, index) => ({
    id: `${connectionId} ${index}`,
    accountId,
    connectionId,
    platformId: 'bluesky',
    awaitsModel: false,
    isImmediate: false,
  }));

/** An immediate post to each of many connections of an account. */
const immediate = (awaitsModel: boolean): Candidate[] =>
  Array.from({ length: 2 * perProcess }, (_, index) => due(`now ${index}`, 1, 'busy'))
    .flat()
    .map((one) => ({ ...one, awaitsModel, isImmediate: true }));

const ids = (picked: readonly Candidate[]) => picked.map(({ id }) => id);

describe('picking posts', () => {
  it('takes one of every connection before it takes a second of any', () => {
    const picked = pickFairly(platforms, [...due('a', 3), ...due('b', 2), ...due('c', 1)], new Map());

    expect(ids(picked)).toEqual(['a 0', 'b 0', 'c 0', 'a 1', 'b 1', 'a 2']);
  });

  it('limits each connection to its share', () => {
    const picked = pickFairly(platforms, due('a', 100), new Map());

    expect(picked).toHaveLength(perConnection);
  });

  it('limits an account to half of the concurrency limit, regardless of the number of its connections', () => {
    const many = Array.from({ length: 100 }, (_, index) => due(`m${index}`, 5, 'big')).flat();

    const picked = pickFairly(platforms, [...many, ...due('small', 1)], new Map());

    expect(picked.filter(({ accountId }) => accountId === 'big')).toHaveLength(perProcess / 2);
    expect(ids(picked)).toContain('small 0');
  });

  it('limits posts that wait for a model to half of the concurrency limit, for all accounts together', () => {
    const waiting = Array.from({ length: 200 }, (_, index) => due(`w${index}`, 1)).flat();
    const awaiting = waiting.map((one) => ({ ...one, awaitsModel: true }));

    const picked = pickFairly(platforms, [...awaiting, ...due('plain', 1)], new Map());

    expect(picked.filter(({ awaitsModel }) => awaitsModel)).toHaveLength(perProcess / 2);
    expect(ids(picked)).toContain('plain 0');
  });

  it('does not affect other platforms when one is at its limit', () => {
    const hanging = due('a', 1).concat(Array.from({ length: 200 }, (_, index) => due(`h${index}`, 1)).flat());
    const sandbox = due('s', 1).map((one) => ({ ...one, platformId: 'sandbox' }));
    const inProgress = countInProgress(hanging.slice(0, perProcess));

    expect(ids(pickFairly(platforms, [...hanging, ...sandbox], inProgress))).toEqual(['s 0']);
    expect(platformsWithCapacity(platforms, inProgress)).not.toContain('bluesky');
    expect(platformsWithCapacity(platforms, inProgress)).toContain('sandbox');
  });

  it.each([
    ['that call the platform', false],
    ['that wait for a model', true],
  ])('takes posts of their account and of others beside any number of immediate posts %s', (_, awaitsModel) => {
    const waiting = [...due('other', 1), ...due('own', 1, 'busy')].map((one) => ({ ...one, awaitsModel }));
    const sends = immediate(awaitsModel);
    const inProgress = countInProgress(sends);

    expect(ids(pickFairly(platforms, waiting, inProgress))).toEqual(['other 0', 'own 0']);
    expect(waiting.filter((one) => hasPlace(platforms, one, sends))).toEqual(waiting);
    expect(platformsWithCapacity(platforms, inProgress)).toContain('bluesky');
    expect(platformsToFill(platforms, ['bluesky'], waiting, inProgress)).toEqual(['bluesky']);
    expect(fullShares(platforms, sends)).toEqual({ connections: [], accounts: [], models: [] });
  });

  it('takes none for a connection whose immediate posts use up its share', () => {
    const sends = due('a', perConnection).map((one) => ({ ...one, isImmediate: true }));

    const picked = pickFairly(platforms, [...due('a', 1), ...due('b', 1)], countInProgress(sends));

    expect(ids(picked)).toEqual(['b 0']);
    expect(fullShares(platforms, sends)).toEqual({ connections: ['a'], accounts: [], models: [] });
  });

  it('never exceeds a limit, and picks every post that fits', () => {
    const candidate = record({
      account: nat(4),
      connection: nat(3),
      platform: constantFrom('bluesky', 'x'),
      awaitsModel: boolean(),
      isImmediate: boolean(),
    });
    assert(
      property(array(candidate, { maxLength: 200 }), array(candidate, { maxLength: 60 }), (waiting, sending) => {
        const made = waiting.map((raw, index) => ({ ...toCandidate(raw, index), isImmediate: false }));
        const picked = pickFairly(platforms, made, countInProgress(sending.map(toCandidate)));

        const left = made.filter(({ id }) => !picked.some((one) => one.id === id));
        const all = [...sending.map(toCandidate), ...picked];
        expect(picked.every((one) => withinShares(one, all))).toBe(true);
        expect(left.filter((one) => withinShares(one, [...all, one]))).toEqual([]);
      }),
      { seed: 20261121, numRuns: 200 },
    );
  });

  interface Raw {
    readonly account: number;
    readonly connection: number;
    readonly platform: string;
    readonly awaitsModel: boolean;
    readonly isImmediate: boolean;
  }

  function toCandidate({ account, connection, platform, ...raw }: Raw, index: number): Candidate {
    const connectionId = `${platform} ${account} ${connection}`;
    return { id: String(index), accountId: String(account), connectionId, platformId: platform, ...raw };
  }

  /** Whether the sends in progress respect every share that includes this send. */
  function withinShares(one: Candidate, all: readonly Candidate[]): boolean {
    const facts = platforms[one.platformId as 'x'].concurrency;
    const ofPlatform = all.filter(({ platformId, isImmediate }) => platformId === one.platformId && !isImmediate);
    return (
      ofPlatform.length <= facts.perProcess &&
      all.filter(({ connectionId }) => connectionId === one.connectionId).length <= facts.perConnection &&
      ofPlatform.filter(({ accountId }) => accountId === one.accountId).length <= facts.perProcess / 2 &&
      (!one.awaitsModel || ofPlatform.filter(({ awaitsModel }) => awaitsModel).length <= facts.perProcess / 2)
    );
  }
});

describe('shares without capacity', () => {
  it('are excluded from the next claim', () => {
    const sends = [...due('a', perConnection), ...due('b', 1)];

    expect(fullShares(platforms, sends)).toEqual({ connections: ['a'], accounts: [], models: [] });
    const spread = Array.from({ length: perProcess / 2 }, (_, index) => due(`c${index}`, 1, 'big')).flat();
    expect(fullShares(platforms, spread).accounts).toEqual(['big bluesky']);
    const waiting = Array.from({ length: perProcess / 2 }, (_, index) => due(`d${index}`, 1)).flat();
    const awaiting = waiting.map((one) => ({ ...one, awaitsModel: true }));
    expect(fullShares(platforms, awaiting).models).toEqual(['bluesky']);
  });
});
