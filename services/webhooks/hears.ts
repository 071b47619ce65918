/** The one place that says which webhooks hear an event. */

/** Columns or parameters of an event, as SQL. */
interface EventColumns {
  readonly id: string;
  readonly accountId: string;
  readonly profileId: string;
  readonly name: string;
  readonly mode: string;
}

/**
 * SQL condition: whether the webhook `w` hears the event. Ids sort by time, so a webhook that was registered
 * after the event does not (D40: reach and mode).
 */
export function hears({ id, accountId, profileId, name, mode }: EventColumns): string {
  return `(w.account_id = ${accountId} and w.deleted_at is null and w.id < ${id}
    and (w.profile_id is null or w.profile_id = ${profileId}) and (w.mode = 'live' or ${mode} = 'test')
    and (w.events is null or ${name} = any(w.events)))`;
}

/** SQL value for `events.fanned_out_at` of a new event: null when deliveries are to be made of it. */
export function fannedOutAt(event: EventColumns, now: string): string {
  return `case when not exists (select 1 from webhooks w where ${hears(event)}) then ${now} end`;
}
