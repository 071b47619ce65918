/**
 * Housekeeping of images: frees those whose posts no longer need them, those that no post names and those of deleted
 * profiles, and finishes interrupted removals.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { IS_NEEDED, IS_UNUSED, markReleased, removeBytes } from './release-media.ts';

/** How long a post keeps its images after its last send attempt (docs/contract/media.md#uploads). */
const KEPT_AFTER_SEND_MS = 86_400_000;

/** How long an image that no post names is kept after its upload (docs/contract/media.md#storage-of-images). */
const KEPT_UNUSED_MS = 7 * 86_400_000;

/** An upload that has been storing its bytes for this long was interrupted by the end of its process. */
const LOST_UPLOAD_MS = 600_000;

/** Most images in one round. */
const AT_ONCE = 500;

// A post that was never sent, for example a cancelled one, has no attempt: its own time is used instead.
const isDoneWith = (before: string) => `
  m.state = 'stored' and exists (select 1 from post_media u where u.media_id = m.id) and not ${IS_NEEDED} and not exists (
    select 1 from post_media u join posts p on p.id = u.post_id
    where u.media_id = m.id and ${before} < coalesce(
      (select max(coalesce(a.settled_at, a.started_at)) from attempts a where a.post_id = p.id), p.scheduled_for, p.created_at))`;

const isLeftOver = (before: string) => `m.state = 'stored' and m.created_at < ${before} and ${IS_UNUSED}`;

// Uploads of a deleted profile are freed as soon as no post can need them: a draft on a deleted connection cannot.
const isOfDeletedProfile = (before: string) => `
  m.state = 'stored' and exists (select 1 from profiles d where d.id = m.profile_id and d.deleted_at <= ${before})
  and not exists (
    select 1 from post_media u join posts p on p.id = u.post_id join connections c on c.id = p.connection_id
    where u.media_id = m.id
      and (p.status = 'processing' or (p.status in ('draft', 'scheduled') and c.deleted_at is null)))`;

const isLostUpload = (before: string) => `m.state = 'storing' and m.created_at < ${before}`;

export async function tidyMedia(context: Context): Promise<void> {
  const now = context.clock.now().getTime();
  await release(context, isDoneWith, new Date(now - KEPT_AFTER_SEND_MS));
  await release(context, isLeftOver, new Date(now - KEPT_UNUSED_MS));
  await release(context, isOfDeletedProfile, new Date(now));
  await release(context, isLostUpload, new Date(now - LOST_UPLOAD_MS));
  const left = `select id from media where state = 'removing' order by id limit ${AT_ONCE}`;
  const rows = await query<{ id: string }>(context.db.em(), left);
  await removeBytes(
    context,
    rows.map(({ id }) => id),
  );
}

/** Marks images that match the condition, one account at a time, and then removes their bytes. */
async function release(context: Context, condition: (before: string) => string, before: Date): Promise<void> {
  const candidates = `select m.id, m.account_id from media m where ${condition('$1')} order by m.id limit ${AT_ONCE}`;
  const rows = await query<{ id: string; account_id: string }>(context.db.em(), candidates, [before]);
  for (const [, ofAccount] of Map.groupBy(rows, (row) => row.account_id)) {
    const ids = ofAccount.map(({ id }) => id);
    await context.db.em().transactional(async (em: SqlEntityManager) => {
      // Under the lock no post can start to use one of them, so one check of the condition is enough.
      await query(em, 'select id from media where id = any($1::uuid[]) order by id for update', [ids]);
      await markReleased(em, ids, condition('$2'), [before]);
    });
  }
}
