/** The words of the weekly digest. Names that clients and keys chose are quoted, on one line and without hidden characters. */
import { type PlatformRegistry, platformOf } from '../../platforms/registry.ts';
import type { NoticeText } from '../notices/store-owner-notices.ts';
import { clientName } from '../oauth/client-name.ts';
import { UNUSED_DAYS } from '../oauth/remove-ended-grants.ts';
import type { DigestWeek } from './digest-week.ts';
import { type ActorDigest, type Digest, totalOf } from './read-digest.ts';

/** Most keys and agents that a mail describes. */
const ACTORS_MAX = 30;

/** Most agents whose end it names, and most people or other changes in a line. */
const LISTED_MAX = 10;

export interface DigestWords {
  readonly week: DigestWeek;
  readonly publicUrl: string;
  readonly platforms: PlatformRegistry;
}

export function digestText({ actors, ending }: Digest, { week, publicUrl, platforms }: DigestWords): NoticeText {
  const shown = actors.slice(0, ACTORS_MAX);
  const rest = actors.length - shown.length;
  const [from, to] = [wallTime(week.from, week.zone), wallTime(week.to, week.zone)];
  return {
    subject: `What your agents and keys did in the week to ${to.slice(0, 10)}`,
    text: [
      `From ${from} to ${to} (${week.zone}). Posts of test keys are not counted.`,
      ...shown.map((actor) => actorText(actor, platforms)),
      ...(rest > 0 ? [`${rest} more did less: ${publicUrl}/activity`] : []),
      ...(ending.length === 0 ? [] : [endingText(ending)]),
      [
        `Every change: ${publicUrl}/activity`,
        `Posts that wait for approval: ${publicUrl}/approvals`,
        `Agents that may act for you: ${publicUrl}/agents`,
        `Stop everything at once: ${publicUrl}/stops`,
      ].join('\n'),
      `Turn this mail off, or choose its time zone: ${publicUrl}/account?digest=off`,
    ].join('\n\n'),
  };
}

function actorText(actor: ActorDigest, platforms: PlatformRegistry): string {
  const { created, sent, failed, approvals, changes } = actor;
  const posts = (label: string, counts: ReadonlyMap<string, number>) =>
    counts.size === 0 ? [] : [`- ${label}: ${totalOf(counts)} (${byPlatform(counts, platforms)})`];
  const removed = changes.get('posts.delete') ?? 0;
  const others = [...changes].filter(([operation]) => operation !== 'posts.delete');
  return [
    headOf(actor),
    ...posts('Posts created', created),
    ...posts('Published', sent),
    ...posts('Failed', failed),
    ...(approvals.size === 0 ? [] : [`- Approvals: ${approvalWords(approvals)}`]),
    ...(removed === 0 ? [] : [`- Cancelled or deleted: ${removed}`]),
    ...(others.length === 0
      ? []
      : [`- Other changes: ${listed(others.map(([operation, count]) => `${operation} ${count}`))}`]),
  ].join('\n');
}

function headOf({ kind, name, host, onBehalfOf }: ActorDigest): string {
  if (kind === 'key') return `Key ${quoted(name)}`;
  const at = host === null ? '' : ` (${clientName(host, '')})`;
  const people = onBehalfOf.length === 0 ? ', whose access is gone' : `, on behalf of ${listed(onBehalfOf, ' or ')}`;
  return `Agent ${quoted(name)}${at}${people}`;
}

const STATE_WORDS: readonly (readonly [string, string])[] = [
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  ['expired', 'expired'],
  ['void', 'void'],
  ['pending', 'waiting now'],
];

function approvalWords(approvals: ReadonlyMap<string, number>): string {
  return STATE_WORDS.filter(([state]) => approvals.has(state))
    .map(([state, words]) => `${approvals.get(state)} ${words}`)
    .join(', ');
}

function byPlatform(counts: ReadonlyMap<string, number>, platforms: PlatformRegistry): string {
  return [...counts].map(([id, count]) => `${platformOf(platforms, id).name} ${count}`).join(', ');
}

function endingText(ending: Digest['ending']): string {
  const lines = ending
    .slice(0, LISTED_MAX)
    .map(({ name, onBehalfOf, endsAt }) => `- ${quoted(name)}, on behalf of ${onBehalfOf}: ${day(endsAt)}`);
  const rest = ending.length > lines.length ? [`- and ${ending.length - lines.length} more`] : [];
  return [`Access that ends soon, ${UNUSED_DAYS} days after its last use:`, ...lines, ...rest].join('\n');
}

function listed(items: readonly string[], separator = ', '): string {
  const shown = items.slice(0, LISTED_MAX).join(separator);
  return items.length > LISTED_MAX ? `${shown} and ${items.length - LISTED_MAX} more` : shown;
}

function quoted(name: string): string {
  return `“${clientName(name, '?')}”`;
}

/** `2026-11-23 08:00`, in the zone. */
function wallTime(instant: Date, zone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return zoned.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
