/**
 * Looks for the post of an earlier send before it is sent again, and after a platform refuses the repeat. The call of an
 * earlier send may arrive after both of its lookups (docs/contract/posts.md#repeats-and-late-posts).
 */
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { type FailureKind, PlatformFailure, type SendPart } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { dateOf } from '../timestamp.ts';
import { untilDatabaseAnswers } from '../until-database-answers.ts';
import { ownOf } from './another-post.ts';
import { callMayBeMade } from './call-may-be-made.ts';
import type { OpenAttempt, SendablePost } from './claimed-send.ts';
import type { PostPart } from './post-parts.ts';
import { SEND_TIMES } from './send-times.ts';
import {
  ABSENT,
  type Absent,
  type AcceptedPart,
  isSearchable,
  look,
  outcomeOf,
  type PartOutcome,
  type PartSend,
  type Refusal,
  type Unseen,
} from './send-part.ts';

/** A part as an earlier send of its post called the platform with it. */
type EarlierCall = Pick<OpenAttempt, 'token' | 'startedAt' | 'prepared'>;

export type EarlierSend = EarlierCall & {
  /** Whether its answer was lost and the platform did not show it, so that only a search can tell whether it arrived. */
  readonly isLost: boolean;
};

// What a platform refused is `unavailable` too, and cannot arrive; rows of before that was stored may be either.
// What was sent before an edit or a rewrite said something else.
const selectEarlier = statement('read the earlier sends of a part that may have published it', {
  parameters: { postId: 'uuid', before: 'int', step: 'text', index: 'int' },
  result: {
    token: column('attempts', 'token'),
    started_at: column('attempts', 'started_at'),
    prepared: column('attempts', 'prepared'),
    may_have_arrived: column('attempts', 'may_have_arrived'),
  },
  sql: ({ postId, before, step, index }) => `
    select a.token, a.started_at, a.prepared, a.may_have_arrived from attempts a join posts p on p.id = a.post_id
    where a.post_id = ${postId} and a.generation >= p.content_generation and a.generation < ${before}
      and a.step = ${step} and a.index = ${index} and a.state in ('unknown', 'unavailable')
      and a.may_have_arrived is not false
    order by a.id`,
});

/** Earlier sends that may have published the part, oldest first. */
export async function earlierSends(
  context: Context,
  post: SendablePost,
  { step, index }: Pick<PostPart, 'step' | 'index'>,
): Promise<EarlierSend[]> {
  if (post.generation === 0) return [];
  const values = { postId: post.id, before: post.generation, step, index };
  const rows = await untilDatabaseAnswers(context, SEND_TIMES.leaseMs, () => selectEarlier(context.db.queries, values));
  return rows
    .map(({ token, started_at: at, prepared, may_have_arrived: may }) => {
      return { token, startedAt: dateOf(at), prepared, isLost: may === true };
    })
    .filter(({ prepared }) => callMayBeMade(context, post, { step, prepared }));
}

/** What is searched for; each earlier send adds how it called the platform. */
type EarlierSearch = Omit<PartSend, 'part'> & { readonly part: Omit<SendPart, keyof EarlierCall> };

/** Most earlier sends that are searched for: two lookups fit into a lease beside the call that publishes. */
const LOOKED_FOR_MAX = 2;

/** Looks for what the latest earlier sends have published. Never throws. */
export async function searchEarlier(
  context: Context,
  send: EarlierSearch,
  earlier: readonly EarlierSend[],
): Promise<AcceptedPart | Absent | Unseen> {
  // A reply belongs to the head of the same send, which was deleted with it.
  if (send.part.step !== 'head') return ABSENT;
  for (const { token, startedAt, prepared } of earlier.slice(-LOOKED_FOR_MAX)) {
    const seen = await look(context, { ...send, part: { ...send.part, token, startedAt, prepared } });
    // A platform that does not answer now would not answer the next lookup either.
    if (seen.state === 'accepted' || seen.state === 'unseen') return seen;
  }
  return ABSENT;
}

/** Lets the next sends of a post go out although a search for its earlier sends has no answer: a person has looked. */
export const allowUnanswered = statement('let a post be sent while its earlier sends are not answered for', {
  parameters: { postId: 'uuid' },
  sql: ({ postId }) => `update attempts set may_have_arrived = null where post_id = ${postId} and may_have_arrived`,
});

/** What a repeat ends with that is not made, because the search for the earlier sends does not show whether one arrived. */
const WITHHELD: Record<Unseen['why'], { readonly kind: FailureKind; readonly why: (name: string) => string }> = {
  'cannot tell': {
    kind: 'unknown',
    why: (name) => `${name} does not show whether an earlier send of this post arrived, so it was not sent again.`,
  },
  'no answer': {
    kind: 'unavailable',
    why: (name) => `${name} did not say whether an earlier send of this post arrived, so it was not sent again.`,
  },
  reconnect: {
    kind: 'reconnect',
    why: (name) => `${name} refused the login when it was asked whether an earlier send of this post arrived.`,
  },
};

/** How a repeat ends that could be a second post; null when it may go out although nothing tells whether an earlier one arrived. */
export function withheldRepeat(
  { clock }: Context,
  { platform, session }: Pick<PartSend, 'platform' | 'session'>,
  earlier: readonly EarlierSend[],
  unseen: Unseen,
): Refusal | null {
  if (!isSearchable({ platform, session })) return null;
  // A send after one of unknown outcome was forced by a person, who has looked.
  const lost = earlier.slice(-LOOKED_FOR_MAX).filter(({ isLost }) => isLost);
  const now = clock.now().getTime();
  const trustedMs = platform.refusesDuplicatesForMs ?? 0;
  // Negative after the clock was set back, and then nothing shows how long ago the call was made.
  if (lost.every(({ startedAt }) => Math.abs(now - startedAt.getTime()) < trustedMs)) return null;
  const { kind, why } = WITHHELD[unseen.why];
  return outcomeOf(new PlatformFailure(kind, why(platform.name), { retryAfterMs: unseen.retryAfterMs }));
}

/**
 * The outcome of a repeat, in the light of the earlier sends: a platform that refuses the repeat may have the post, and one that
 * names the post that a duplicate repeats may name another one. Never throws.
 */
export async function settleRepeat(
  context: Context,
  send: PartSend,
  earlier: readonly EarlierSend[],
  outcome: PartOutcome,
): Promise<PartOutcome> {
  if (outcome.state === 'accepted') {
    const { published } = outcome;
    // A platform that knows the part by another id, or by none, has searched the posts of the account for it.
    const isSearched = published.provenId !== undefined || published.isFound === true;
    const since = earlier[0]?.startedAt ?? (isSearched ? send.part.startedAt : null);
    if (since === null) return outcome;
    try {
      const own = await ownOf(context, send, published, since);
      if (own !== null) return { ...outcome, published: own };
    } catch {
      // Without the database nothing can be compared, and the platform named the post.
      return outcome;
    }
    if (published.isFound === true) {
      const message = `${send.platform.name} has taken the post, and shows only another one of this connection that says the same.`;
      return outcomeOf(new PlatformFailure('unknown', message));
    }
    const message = `${send.platform.name} refused the text as a duplicate of another post of this connection.`;
    return outcomeOf(new PlatformFailure('rejected', message));
  }
  if (earlier.length === 0) return outcome;
  if (outcome.error.code !== 'platform_rejected') return outcome;
  const seen = await searchEarlier(context, send, earlier);
  return seen.state === 'accepted' ? seen : outcome;
}
