/** The one place that defines which webhooks receive an event. */
import { DEFAULT_EVENT_NAMES } from '../../entities/event.ts';

/** Columns or parameters of an event, as SQL. */
interface EventColumns {
  readonly id: string;
  readonly accountId: string;
  readonly profileId: string;
  readonly name: string;
  readonly mode: string;
  readonly subjectId: string;
}

/** SQL list of the events that a subscriber receives without naming them. */
const DEFAULT_EVENTS = `(${DEFAULT_EVENT_NAMES.map((name) => `'${name}'`).join(', ')})`;

/**
 * SQL condition: whether the webhook `w` is subscribed to the event. Ids sort by time, so a webhook registered after
 * the event does not match (docs/contract/webhooks.md#which-events-a-webhook-gets: reach and mode). One with a later time than the
 * present was registered before the clock was set back. A disabled webhook matches no event, and no webhook matches an event about
 * itself.
 */
export function subscribedCondition(
  { id, accountId, profileId, name, mode, subjectId }: EventColumns,
  now: string,
): string {
  return `(w.account_id = ${accountId} and w.deleted_at is null and w.disabled_at is null
    and (w.id < ${id} or w.created_at > ${now})
    and (w.profile_id is null or w.profile_id = ${profileId}) and (w.mode = 'live' or ${mode} = 'test')
    and (${name} = any(w.events) or (w.events is null and ${name} in ${DEFAULT_EVENTS})) and w.id <> ${subjectId})`;
}

/** SQL value for `events.fanned_out_at` of a new event: null when a webhook is subscribed to it. */
export function fannedOutAt(event: EventColumns, now: string): string {
  return `case when not exists (select 1 from webhooks w where ${subscribedCondition(event, now)}) then ${now} end`;
}
