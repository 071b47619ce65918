/** The outcome of one part, for every platform failure and every recovery method: no part is created twice. */
import { describe, expect, it } from 'vitest';
import {
  type AnyPlatform,
  type FailureKind,
  PlatformFailure,
  type Published,
  type RecoveryFacts,
} from '../../../platforms/contract.ts';
import type { Context } from '../../../services/context.ts';
import { type PartOutcome, resumePart, sendPart } from '../../../services/sending/send-part.ts';
import { SEND_TIMES } from '../../../services/sending/send-times.ts';
import { createTestClock } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** The platform's answer to one call: the part is published, it does not exist, or the call fails. */
type Answer = 'up' | 'absent' | FailureKind | 'busy' | 'lost and busy' | 'crash';

const PUBLISHED: Published = { platformPostId: 'post-1', url: null };
const ACCEPTED = { state: 'accepted', published: PUBLISHED };

interface Script {
  /** Answers to the calls that create the part, in order. */
  readonly publish?: readonly Answer[];
  /** Answers to the searches for the part, in order. If absent, the platform cannot be searched. */
  readonly readBack?: readonly Answer[];
  readonly repeatWithinMs?: number;
  /** The recovery facts of the credentials in use, if they are more limited. */
  readonly thisCredential?: RecoveryFacts;
}

function answer(given: Answer | undefined): Published | null {
  if (given === undefined) throw new Error('the platform was called more often than the script says');
  if (given === 'up') return PUBLISHED;
  if (given === 'absent') return null;
  if (given === 'crash') throw new TypeError('undefined is not a function');
  if (given === 'busy') throw new PlatformFailure('unavailable', 'It said busy.', { retryAfterMs: 30_000 });
  if (given === 'lost and busy') throw new PlatformFailure('unknown', 'It said HTTP 503.', { retryAfterMs: 30_000 });
  throw new PlatformFailure(given, `It said ${given}.`);
}

/** Runs a part against a scripted platform, `ageMs` after it was started. */
async function run(how: typeof sendPart, script: Script, ageMs = 0) {
  const calls: string[] = [];
  const [publishes, looks] = [[...(script.publish ?? [])], script.readBack && [...script.readBack]];
  const recovery: RecoveryFacts = { repeatWithinMs: script.repeatWithinMs ?? 0, readBack: looks !== undefined };
  const platform = {
    ...world.context.platforms.sandbox,
    name: 'Scripted',
    recovery,
    recoveryOf: () => script.thisCredential ?? recovery,
    publish: async (_session: unknown, { token }: { token: string }) => {
      calls.push(`publish ${token}`);
      return answer(publishes.shift()) as Published;
    },
    readBack:
      looks &&
      (async () => {
        calls.push('look');
        return answer(looks.shift());
      }),
  } as AnyPlatform;
  const clock = createTestClock();
  const startedAt = new Date(clock.now().getTime() - ageMs);
  const context: Context = { ...world.context, clock };
  const part = { step: 'head' as const, index: 0, text: 'Hello', token: 'token', startedAt, prepared: null };
  const of = { postId: context.random.uuid(), connectionId: context.random.uuid() };
  const outcome = await how(context, { platform, session: {} as never, part, of });
  return { outcome, calls, waits: clock.waits };
}

function failed(state: PartOutcome['state'], code: string, message: string) {
  return { state, error: { code, message } };
}

const UNKNOWN = failed(
  'unknown',
  'outcome_unknown',
  expect.stringMatching(
    /^The send was interrupted and it is not known whether the post went out: look on the platform before sending it again\./,
  ) as unknown as string,
);
const NOT_THERE = {
  ...failed(
    'unavailable',
    'platform_unavailable',
    'Scripted did not answer the send, and the post is not there; nothing was posted.',
  ),
  mayHaveArrived: true,
};

describe('a first call', () => {
  it.each<[Answer, object]>([
    ['up', ACCEPTED],
    ['rejected', failed('rejected', 'platform_rejected', 'It said rejected.')],
    ['unavailable', failed('unavailable', 'platform_unavailable', 'It said unavailable.')],
    ['reconnect', failed('rejected', 'reconnect_required', 'It said reconnect.')],
  ])('that answers %s is the only call', async (given, expected) => {
    const { outcome, calls } = await run(sendPart, { publish: [given], readBack: [], repeatWithinMs: Infinity });

    expect(outcome).toEqual(expected);
    expect(calls).toEqual(['publish token']);
  });
});

describe('a lost answer', () => {
  it.each<[string, Answer[], object, number[]]>([
    ['is found at the first look', ['up'], ACCEPTED, []],
    ['is found at the second look, a while later', ['absent', 'up'], ACCEPTED, [SEND_TIMES.secondLookAfterMs]],
    ['is not there at two looks', ['absent', 'absent'], NOT_THERE, [SEND_TIMES.secondLookAfterMs]],
    ['cannot be checked', ['unknown'], UNKNOWN, []],
    ['cannot be checked the second time', ['absent', 'unavailable'], UNKNOWN, [SEND_TIMES.secondLookAfterMs]],
    ['cannot be checked, because the login died', ['reconnect'], UNKNOWN, []],
  ])('%s', async (_case, readBack, expected, waited) => {
    const { outcome, calls, waits } = await run(sendPart, { publish: ['unknown'], readBack, repeatWithinMs: Infinity });

    expect(outcome).toEqual(expected);
    expect(calls).toEqual(['publish token', ...readBack.map(() => 'look')]);
    expect(waits).toEqual(waited);
  });

  it.each<[string, Answer, object]>([
    ['taken', 'up', ACCEPTED],
    ['refused', 'rejected', failed('rejected', 'platform_rejected', 'It said rejected.')],
    ['lost again', 'unknown', UNKNOWN],
    ['not let in for now', 'unavailable', UNKNOWN],
    ['not let in with this login', 'reconnect', UNKNOWN],
  ])('is requested once more, with the same token, if that is safe: %s', async (_case, second, expected) => {
    const { outcome, calls } = await run(sendPart, { publish: ['unknown', second], repeatWithinMs: 60_000 });

    expect(outcome).toEqual(expected);
    expect(calls).toEqual(['publish token', 'publish token']);
  });

  it('stays unknown if neither is possible', async () => {
    const { outcome, calls } = await run(sendPart, { publish: ['unknown'] });

    expect(outcome).toEqual(UNKNOWN);
    expect(calls).toEqual(['publish token']);
  });

  it.each<[string, Script, object, string[]]>([
    ['is not checked with a login that cannot', { readBack: ['up'] }, UNKNOWN, ['publish token']],
    [
      'is not repeated with a login for which that is not safe',
      { repeatWithinMs: Infinity },
      UNKNOWN,
      ['publish token'],
    ],
  ])('%s', async (_case, script, expected, called) => {
    const thisCredential = { repeatWithinMs: 0, readBack: false };
    const { outcome, calls } = await run(sendPart, { publish: ['unknown'], ...script, thisCredential });

    expect(outcome).toEqual(expected);
    expect(calls).toEqual(called);
  });

  it.each<[string, Answer[], object]>([
    ['and is not there', ['absent', 'absent'], NOT_THERE],
    ['and cannot be checked', ['unknown'], UNKNOWN],
  ])('asks to wait, %s', async (_case, readBack, expected) => {
    const { outcome } = await run(sendPart, { publish: ['lost and busy'], readBack });

    expect(outcome).toEqual({ ...expected, retryAfterMs: 30_000 });
  });

  it.each<[string, Script]>([
    ['the first look', { readBack: ['busy'] }],
    ['the second look', { readBack: ['absent', 'busy'] }],
    ['the repeat', { publish: ['unknown', 'busy'], repeatWithinMs: 60_000 }],
  ])('stays unknown, with the wait that the answer to %s asks for', async (_case, script) => {
    const { outcome } = await run(sendPart, { publish: ['unknown'], ...script });

    expect(outcome).toEqual({ ...UNKNOWN, retryAfterMs: 30_000 });
  });

  it('is assumed when an adapter throws an unexpected error', async () => {
    const { outcome, calls } = await run(sendPart, { publish: ['crash'], readBack: ['up'] });

    expect(outcome).toEqual(ACCEPTED);
    expect(calls).toEqual(['publish token', 'look']);
  });
});

describe('a call whose process died before the answer', () => {
  it('is searched for, and found', async () => {
    const { outcome, calls } = await run(resumePart, { readBack: ['up'], repeatWithinMs: Infinity }, 90_000);

    expect(outcome).toEqual(ACCEPTED);
    expect(calls).toEqual(['look']);
  });

  it.each<[string, Script, number, object, string[]]>([
    [
      'made when it is not there and a repeat is safe',
      { readBack: ['absent'], publish: ['up'], repeatWithinMs: Infinity },
      90_000,
      ACCEPTED,
      ['look', 'publish token'],
    ],
    [
      'not made when it is not there and a repeat is not safe any more',
      { readBack: ['absent', 'absent'], repeatWithinMs: 90_000 },
      90_000,
      NOT_THERE,
      ['look', 'look'],
    ],
    [
      'found when it arrives between two looks, and a repeat is not safe any more',
      { readBack: ['absent', 'up'], repeatWithinMs: 90_000 },
      90_000,
      ACCEPTED,
      ['look', 'look'],
    ],
    [
      'made when it cannot be checked and a repeat is safe',
      { publish: ['up'], repeatWithinMs: 90_001 },
      90_000,
      ACCEPTED,
      ['publish token'],
    ],
    [
      'still unknown when neither the check nor the repeat may run',
      { readBack: ['unavailable'], publish: ['reconnect'], repeatWithinMs: Infinity },
      90_000,
      UNKNOWN,
      ['look', 'publish token'],
    ],
    [
      'not there when two looks say so, and the repeat is not let in',
      { readBack: ['absent', 'absent'], publish: ['busy'], repeatWithinMs: Infinity },
      90_000,
      { ...failed('unavailable', 'platform_unavailable', 'It said busy.'), retryAfterMs: 30_000, mayHaveArrived: true },
      ['look', 'publish token', 'look'],
    ],
    [
      'found when it arrives after a repeat that is not let in',
      { readBack: ['absent', 'up'], publish: ['busy'], repeatWithinMs: Infinity },
      90_000,
      ACCEPTED,
      ['look', 'publish token', 'look'],
    ],
    [
      'unknown when the repeat is not let in, and the second look fails',
      { readBack: ['absent', 'unavailable'], publish: ['busy'], repeatWithinMs: Infinity },
      90_000,
      { ...UNKNOWN, retryAfterMs: 30_000 },
      ['look', 'publish token', 'look'],
    ],
    ['not made when neither is possible', {}, 90_000, UNKNOWN, []],
    [
      'not made when it cannot be checked, and the clock was set back by more than a repeat is safe',
      { readBack: ['unavailable'], publish: ['up'], repeatWithinMs: 60_000 },
      -3_600_000,
      UNKNOWN,
      ['look'],
    ],
    [
      'neither checked nor made with a login for which neither is possible',
      { readBack: ['up'], repeatWithinMs: Infinity, thisCredential: { repeatWithinMs: 0, readBack: false } },
      90_000,
      UNKNOWN,
      [],
    ],
    ['not made when the look fails', { readBack: ['unavailable'] }, 90_000, UNKNOWN, ['look']],
    [
      'unknown when the look asks to wait',
      { readBack: ['busy'] },
      90_000,
      { ...UNKNOWN, retryAfterMs: 30_000 },
      ['look'],
    ],
    [
      'unknown when the look and the repeat ask to wait',
      { readBack: ['busy'], publish: ['busy'], repeatWithinMs: Infinity },
      90_000,
      { ...UNKNOWN, retryAfterMs: 30_000 },
      ['look', 'publish token'],
    ],
    [
      'checked again when the repeat is lost too',
      { readBack: ['absent', 'up'], publish: ['unknown'], repeatWithinMs: Infinity },
      90_000,
      ACCEPTED,
      ['look', 'publish token', 'look'],
    ],
    [
      'refused when the repeat is',
      { readBack: ['absent'], publish: ['rejected'], repeatWithinMs: Infinity },
      90_000,
      failed('rejected', 'platform_rejected', 'It said rejected.'),
      ['look', 'publish token'],
    ],
  ])('is %s', async (_case, script, ageMs, expected, called) => {
    const { outcome, calls } = await run(resumePart, script, ageMs);

    expect(outcome).toEqual(expected);
    expect(calls).toEqual(called);
  });
});

describe('the steps of a send', () => {
  it('end together before the lease of the send, so that no worker recovers a send that is still running', () => {
    const { publishMs, readBackMs, repeatMs, secondLookAfterMs, removeMs, leaseMs } = SEND_TIMES;

    expect(publishMs + readBackMs + secondLookAfterMs + readBackMs).toBeLessThan(leaseMs);
    expect(readBackMs + repeatMs + readBackMs + secondLookAfterMs + readBackMs).toBeLessThan(leaseMs);
    expect(publishMs + repeatMs).toBeLessThan(leaseMs);
    expect(removeMs + secondLookAfterMs + removeMs).toBeLessThan(leaseMs);
  });
});
