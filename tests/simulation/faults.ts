/**
 * Processes that die or hang in the middle of a send. The fault depends on the post and its number of attempts, not on
 * the order of events, so a seed gives the same faults on every engine.
 */
import type { ClaimedSend } from '../../services/sending/claimed-send.ts';
import { ClaimLost } from '../../services/sending/ledger.ts';
import type { PostSender } from '../../services/sending/post-sender.ts';
import { sendPost } from '../../services/sending/send-post.ts';
import type { World } from '../harness/world.ts';
import { pseudoRandom } from './sampler.ts';
import { markerOf } from './replica.ts';

/** A dead process sends no answer, and its caller sees this error. */
class ProcessDied extends Error {
  override name = 'ProcessDied';
}

/** Faults per thousand sends: a process that dies before the call, one that dies after it, and one that hangs. */
const DIES_BEFORE = 30;
const DIES_AFTER = 30;
const HANGS = 25;

/** Most faults that one post can have. */
const UNLUCKY_MAX = 3;

export interface Faults {
  /** False: from now on every send succeeds. */
  enabled: boolean;
  /** Number of faults so far. */
  readonly hits: number;
  /** Ids of posts with an interrupted send. */
  readonly interrupted: ReadonlySet<string>;
  /** Hanging sends, the longest first. */
  readonly hanging: readonly ClaimedSend[];
  /** Lets a hanging process continue, which finds that another has taken its send over, or sends. */
  wake(claimed: ClaimedSend): Promise<void>;
  /** Resolves when no send is in progress, those of dead processes included. */
  drained(): Promise<void>;
}

/** Replaces the sends of the world's context. */
export function injectFaults(world: World, seed: string): Faults {
  const sender = world.context.sends;
  const tries = new Map<string, number>();
  const interrupted = new Set<string>();
  const hung: ClaimedSend[] = [];
  const dying = new Set<Promise<unknown>>();
  let hits = 0;

  const injectFault = async (claimed: ClaimedSend, kind: 'before' | 'after' | 'hangs'): Promise<never> => {
    hits += 1;
    interrupted.add(claimed.post.id);
    if (kind === 'hangs') hung.push(claimed);
    // A post to the sandbox has one part, so the platform has what this has written at its end.
    if (kind === 'after') await sendPost(world.context, claimed);
    throw new ProcessDied(`the process that sent ${claimed.post.id} died`);
  };

  const faults: Faults = {
    enabled: true,
    interrupted,
    get hits() {
      return hits;
    },
    get hanging() {
      return hung;
    },
    wake: async (claimed) => {
      hung.splice(hung.indexOf(claimed), 1);
      await sender.send(claimed).catch((error: unknown) => {
        if (!(error instanceof ClaimLost)) throw error;
      });
    },
    drained: async () => {
      await sender.drained();
      await Promise.allSettled(dying);
    },
  };

  const send: PostSender['send'] = (claimed) => {
    const { id, generation, text, connectionSlug } = claimed.post;
    const key = `${id} ${generation}`;
    const tried = tries.get(key) ?? 0;
    tries.set(key, tried + 1);
    const roll = 1000 * pseudoRandom(seed, markerOf(text), connectionSlug, String(generation), String(tried));
    // A post with a fault is likely to have another, so that recoveries are interrupted too.
    const kind = kindOf(tried === 0 ? roll : roll / 6);
    if (!faults.enabled || tried >= UNLUCKY_MAX || kind === null) return sender.send(claimed);
    const faultySend = injectFault(claimed, kind);
    dying.add(faultySend);
    const over = () => dying.delete(faultySend);
    faultySend.then(over, over);
    return faultySend;
  };
  Object.assign(world.context, { sends: Object.assign(Object.create(sender) as PostSender, { send }) });
  return faults;
}

function kindOf(roll: number): 'before' | 'after' | 'hangs' | null {
  if (roll < DIES_BEFORE) return 'before';
  if (roll < DIES_BEFORE + DIES_AFTER) return 'after';
  return roll < DIES_BEFORE + DIES_AFTER + HANGS ? 'hangs' : null;
}
