/** Which rules of a policy a post breaks, and from when it would not (docs/contract/policies.md#rules). Reads nothing. */
import type { PolicyRules } from '../../entities/policy.ts';
import { cutText } from '../../platforms/untrusted.ts';
import { timestamp } from '../timestamp.ts';
import type { PolicyPost } from './policy-post.ts';
import { type PolicyUsage, spentIn } from './policy-usage.ts';
import { isQuiet, quietEnd } from './quiet-hours.ts';
import { phrasesIn } from '../words/phrases.ts';
import { linksBeyond } from './links-beyond.ts';
import { allowsOneMore, nextAllowed } from './posts-in-time.ts';

export type PolicyRule = keyof Omit<PolicyRules, 'linkHosts'>;

/** Every rule, in the order in which they are looked at. */
export const POLICY_RULES = [
  'connectionIds',
  'platforms',
  'approvalAlways',
  'approvalWords',
  'approvalLinks',
  'quietHours',
  'postsPerHour',
  'postsPerDay',
  'spendCentsPerMonth',
] as const satisfies readonly PolicyRule[];

/** What happens to a post that breaks a rule: it is refused, or a person is asked. */
export const POLICY_EFFECTS = ['refused', 'approval'] as const;

export interface Violation {
  readonly rule: PolicyRule;
  readonly effect: (typeof POLICY_EFFECTS)[number];
  readonly message: string;
  /** From when the rule allows the post; null when time does not help. */
  readonly retryAt: Date | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The rules that the post breaks, whenever it goes out. */
export function contentViolations(rules: PolicyRules, { connectionId, connectionSlug, platformId, texts }: PolicyPost) {
  const found: Violation[] = [];
  const add = (rule: PolicyRule, effect: Violation['effect'], message: string) =>
    found.push({ rule, effect, message, retryAt: null });
  if (rules.connectionIds !== null && !rules.connectionIds.includes(connectionId)) {
    add('connectionIds', 'refused', `It does not allow the connection "${connectionSlug}".`);
  }
  if (rules.platforms !== null && !rules.platforms.includes(platformId)) {
    add('platforms', 'refused', `It allows ${rules.platforms.join(', ')}, and not ${platformId}.`);
  }
  if (rules.approvalAlways) add('approvalAlways', 'approval', 'It asks a person about every post.');
  const words = phrasesIn(texts, rules.approvalWords);
  if (words.length > 0) {
    add('approvalWords', 'approval', `It asks a person about the ${listed('word', words)}.`);
  }
  const links = rules.approvalLinks ? linksBeyond(rules.linkHosts, texts) : [];
  if (links.length > 0) add('approvalLinks', 'approval', `It asks a person about the ${listed('link', links)}.`);
  return found;
}

/** The rules that keep the post from going out at a time. */
export function timeViolations(rules: PolicyRules, { feeCents }: PolicyPost, at: Date, usage: PolicyUsage) {
  const found: Violation[] = [];
  const refuse = (rule: PolicyRule, message: string, retryAt: Date) =>
    found.push({ rule, effect: 'refused', message: `${message} Try again from ${timestamp(retryAt)}.`, retryAt });
  const { quietHours, spendCentsPerMonth: cap } = rules;
  if (quietHours !== null && isQuiet(quietHours, at)) {
    const { from, to, timezone } = quietHours;
    const message = `Nothing goes out from ${from} to ${to} (${timezone}), and this post would at ${timestamp(at)}.`;
    refuse('quietHours', message, quietEnd(quietHours, at));
  }
  for (const [rule, span, period] of [
    ['postsPerHour', HOUR_MS, '60 minutes'],
    ['postsPerDay', DAY_MS, '24 hours'],
  ] as const) {
    const most = rules[rule];
    if (most === null || allowsOneMore(usage.times, at, { most, span })) continue;
    const message = `It allows ${most} ${most === 1 ? 'post' : 'posts'} in any ${period}, and no more at ${timestamp(at)}.`;
    refuse(rule, message, nextAllowed(usage.times, at, { most, span }));
  }
  const spent = spentIn(usage.spentCents, at);
  if (cap !== null && feeCents > 0 && spent + feeCents > cap) {
    const nextMonth = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
    const message = `It allows fees of ${cap} cents a month, ${spent} are spent or planned, and this post costs ${feeCents}.`;
    refuse('spendCentsPerMonth', message, nextMonth);
  }
  return found;
}

/** At most five, because a message has to stay readable. */
function listed(noun: string, found: readonly string[]): string {
  const shown = found.slice(0, 5).map((one) => `"${cutText(one, 60)}"`);
  return `${noun}${found.length === 1 ? '' : 's'} ${shown.join(', ')}`;
}
