/** Which posts are held after a restore, as SQL that uses the indexes of due posts, leases, queues and stops. */

/**
 * @param heldUntil posts that were due by then may have gone out
 * @param heldClaims claims that end by then were made before the restore was noticed
 */
export function heldPostIds({ heldUntil, heldClaims }: { heldUntil: string; heldClaims: string }): string {
  return `
    select id from posts where status = 'scheduled' and not held and scheduled_for <= ${heldUntil}
    union all
    select p.id from connections c join posts p on p.connection_id = c.id
    where c.queue_paused and p.status = 'scheduled' and p.held and p.stop_id is null and p.scheduled_for <= ${heldUntil}
    union all
    select id from posts where stop_id is not null and status = 'scheduled' and held and scheduled_for <= ${heldUntil}
    union all
    select id from posts where status = 'processing' and claimed_until <= ${heldClaims}`;
}
