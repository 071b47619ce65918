/**
 * Housekeeping of images: frees those whose posts no longer need them, those that no post names and those of deleted
 * profiles, and finishes interrupted removals.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { anyOf } from '../../entities/any-of.ts';
import { columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { IS_NEEDED, IS_UNUSED, RELEASED, releaseSql, removeBytes } from './release-media.ts';

/** How long a post keeps its images after its last send attempt (docs/contract/media.md#uploads). */
const KEPT_AFTER_SEND_MS = 86_400_000;

/** How long an image that no post names is kept after its upload (docs/contract/media.md#storage-of-images). */
const KEPT_UNUSED_MS = 7 * 86_400_000;

/** An upload that has been storing its bytes for this long was interrupted by the end of its process. */
const LOST_UPLOAD_MS = 600_000;

/**
 * Real time that the bytes of one step may take to be removed: a storage that does not answer must not hold up other
 * housekeeping for hours.
 */
const REMOVAL_MS = 60_000;

/** Most images in one step. */
const AT_ONCE = 500;

/** Most steps of one kind in a round; the next round continues. */
const STEPS_MAX = 100;

const CANDIDATE = columns('media', ['id', 'account_id'], 'm');

// A post that was never sent, for example a cancelled one, has no attempt: its own time is used instead. One that missed its time
// failed long after it, and its images are needed for a retry.
const noLongerNeeded = releasable(
  'images that posts no longer need',
  (before) => `
    m.state = 'stored' and exists (select 1 from post_media u where u.media_id = m.id) and not ${IS_NEEDED} and not exists (
      select 1 from post_media u join posts p on p.id = u.post_id
      where u.media_id = m.id and ${before} < coalesce(
        greatest(
          (select max(coalesce(a.settled_at, a.started_at)) from attempts a where a.post_id = p.id),
          (select max(e.created_at) from events e where e.subject_id = p.id and e.name = 'post.failed'),
          p.scheduled_for
        ), p.created_at))`,
);

const neverUsed = releasable(
  'images that no post has named since their upload',
  (before) => `
    m.state = 'stored' and m.created_at < ${before} and ${IS_UNUSED}`,
);

// Uploads of a deleted profile are freed as soon as no post can need them: a draft on a deleted connection cannot.
const ofDeletedProfile = releasable(
  'images of deleted profiles',
  (before) => `
    m.state = 'stored' and exists (select 1 from profiles d where d.id = m.profile_id and d.deleted_at <= ${before})
    and not exists (
      select 1 from post_media u join posts p on p.id = u.post_id join connections c on c.id = p.connection_id
      where u.media_id = m.id
        and (p.status = 'processing' or (p.status in ('draft', 'scheduled') and c.deleted_at is null)))`,
);

const interrupted = releasable(
  'images whose upload was interrupted',
  (before) => `m.state = 'storing' and m.created_at < ${before}`,
);

/** @param signal ends the round before the next step */
export async function cleanUpMedia(context: Context, signal: AbortSignal): Promise<void> {
  const now = context.clock.now().getTime();
  const steps = [
    () => release(context, noLongerNeeded, new Date(now - KEPT_AFTER_SEND_MS)),
    () => release(context, neverUsed, new Date(now - KEPT_UNUSED_MS)),
    () => release(context, ofDeletedProfile, new Date(now)),
    () => release(context, interrupted, new Date(now - LOST_UPLOAD_MS)),
    () => removeReleased(context, context.clock.deadline(REMOVAL_MS, signal)),
  ];
  for (const step of steps) {
    let left = STEPS_MAX;
    while (left > 0 && !signal.aborted && (await step())) left -= 1;
  }
}

/** @returns whether more images may be left */
async function removeReleased(context: Context, signal: AbortSignal): Promise<boolean> {
  const released = await tables(context.db.queries)
    .selectFrom('media')
    .select('id')
    // A literal, because PostgreSQL uses the partial index only then.
    .where('state', '=', sql.lit('removing'))
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
  return (await removeBytes(context, released, signal)) === AT_ONCE;
}

/**
 * Defines the statements that find images and release them, so that both check the same condition.
 *
 * @param condition SQL on the row `m` of `media`, given an instant
 */
function releasable(images: string, condition: (before: string) => string) {
  return {
    find: statement(`find ${images}`, {
      parameters: { before: 'timestamptz' },
      result: CANDIDATE.types,
      sql: ({ before }) =>
        `select ${CANDIDATE.sql} from media m where ${condition(before)} order by m.id limit ${AT_ONCE}`,
    }),
    release: statement(`release ${images}`, {
      parameters: { ids: 'uuid[]', before: 'timestamptz' },
      result: RELEASED,
      sql: ({ ids, before }) => releaseSql(ids, condition(before)),
    }),
  };
}

/**
 * Marks images that match the condition, one account at a time.
 *
 * @returns whether more images may be left
 */
async function release(context: Context, images: ReturnType<typeof releasable>, before: Date): Promise<boolean> {
  const rows = await images.find(context.db.em(), { before });
  for (const [, ofAccount] of Map.groupBy(rows, (row) => row.account_id)) {
    const ids = ofAccount.map(({ id }) => id);
    await context.db.em().transactional(async (em: SqlEntityManager) => {
      // Under the lock no post can start to use one of them, so one check of the condition is enough.
      const locked = tables(em).selectFrom('media').select('id').where('id', '=', anyOf(ids)).orderBy('id').forUpdate();
      await locked.execute();
      await images.release(em, { ids, before });
    });
  }
  return rows.length === AT_ONCE;
}
