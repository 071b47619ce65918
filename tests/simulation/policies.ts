/** What a policy allows, found again by brute force (docs/contract/policies.md). */
import type { PostRow } from './journal.ts';
import { ms } from './journal.ts';
import type { Sampler } from './sampler.ts';
import { hold, type Replica } from './replica.ts';
import { expectedSlot } from './slots.ts';

const DAY_MS = 86_400_000;

/** A word that needs a person. */
export const ASKED_WORD = 'Gong';

export interface Rules {
  readonly postsPerDay: number;
  readonly quietHours: { readonly from: string; readonly to: string; readonly timezone: string } | null;
  readonly approvalWords: readonly string[];
}

/** A policy of few posts a day, mostly with quiet hours. */
export function randomRules(sampler: Sampler, timezone: string): Rules {
  const wall = () => `${String(sampler.int(0, 23)).padStart(2, '0')}:${sampler.pick(['00', '30'])}`;
  const [from, to] = [wall(), wall()];
  return {
    postsPerDay: sampler.int(1, 3),
    quietHours: from !== to && sampler.chance(0.6) ? { from, to, timezone } : null,
    approvalWords: [ASKED_WORD],
  };
}

/** A request of a key that follows a policy, and the instant at which it was answered. */
export interface RuledRequest {
  readonly policyId: string;
  readonly rules: Rules;
  readonly at: number;
  /** As in the body of the request. */
  readonly plan: { readonly scheduledFor?: string; readonly queue?: boolean };
  /** How many posts it wanted to send. */
  readonly posts: number;
}

interface RuledResult {
  readonly status: string;
  readonly postId: string | null;
  readonly error: { readonly code: string } | null;
}

/**
 * A post that was accepted keeps the rules beside all others, and one that was refused would have broken them.
 *
 * @param connectionId of the post
 */
export function checkPolicy(
  replica: Replica,
  request: RuledRequest,
  { status, postId, error }: RuledResult,
  connectionId: string,
): void {
  const { at, plan, posts } = request;
  const post = replica.posts.get(postId ?? '');
  const describe = () => `${JSON.stringify(request)} was answered ${status} ${JSON.stringify(error)}`;
  const connection = replica.connections.get(connectionId);
  // Which slot the earlier posts of one request have seen is not known afterwards.
  const slot = () =>
    connection === undefined
      ? null
      : expectedSlot(replica, connection, at, post?.id ?? '', (time) => allows(replica, request, time, { post }));
  if (error?.code === 'policy_refused') {
    const beside = { post, more: posts - 1 };
    if (plan.queue === true) hold(posts > 1 || slot() === null, '13 policies', describe);
    else hold(!allows(replica, request, timeOfPlan(request), beside), '13 policies', describe);
    return;
  }
  if (post === undefined || (status !== 'scheduled' && status !== 'sent')) return;
  const time = ms((status === 'sent' ? post.sent_at : post.scheduled_for) ?? '');
  hold(allows(replica, request, time, { post }), '13 policies', describe);
  hold(!post.text.includes(ASKED_WORD), '13 policies', describe);
  if (plan.queue === true && posts === 1 && status === 'scheduled') hold(slot() === time, '13 policies', describe);
}

function timeOfPlan({ at, plan }: RuledRequest): number {
  return plan.scheduledFor === undefined ? at : ms(plan.scheduledFor);
}

/** Whether a post may go out at `time`, with `more` of the same request. */
function allows(
  replica: Replica,
  { policyId, rules }: RuledRequest,
  time: number,
  { post, more = 0 }: { readonly post: PostRow | undefined; readonly more?: number },
): boolean {
  if (isQuiet(rules, time)) return false;
  const others = [...replica.posts.values()]
    .filter((other) => other.policy_id === policyId && other.id !== post?.id)
    .flatMap(timesOf);
  const all = [...others, ...Array.from({ length: more + 1 }, () => time)];
  // A window that has too many can be moved until it begins with one of them.
  return all
    .filter((start) => start <= time && time < start + DAY_MS)
    .every((start) => all.filter((one) => one >= start && one < start + DAY_MS).length <= rules.postsPerDay);
}

/** When a post goes out or went out; none for one that does not. */
function timesOf(post: PostRow): number[] {
  const isWaiting = post.status === 'scheduled' || post.status === 'processing';
  if (!isWaiting && post.sent_at === null && post.error_code !== 'outcome_unknown') return [];
  return [ms(post.sent_at ?? post.claimed_until ?? post.scheduled_for ?? post.created_at)];
}

function isQuiet({ quietHours }: Rules, time: number): boolean {
  if (quietHours === null) return false;
  const { from, to, timezone } = quietHours;
  const wall = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone).toPlainTime().toString();
  return from < to ? wall >= from && wall < to : wall >= from || wall < to;
}
