/**
 * Releases images: their rows stop counting as storage and cannot be used any more; then their bytes are removed. If
 * that fails, housekeeping finds the rows and removes the bytes later.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/**
 * SQL condition on a row `m` of `media`: a post that has not been sent yet needs it. An interrupted post counts too.
 * Draft, scheduled and processing are the statuses from which POST_TRANSITIONS lets a post be sent.
 */
export const IS_NEEDED = `exists (
  select 1 from post_media u join posts p on p.id = u.post_id
  where u.media_id = m.id and p.status in ('draft', 'scheduled', 'processing'))`;

/** SQL condition on a row `m` of `media`: no post names it, sent or not. */
export const IS_UNUSED = 'not exists (select 1 from post_media u where u.media_id = m.id)';

const RELEASE = `
  with released as (
    update media m set state = 'removing' where m.id = any($1::uuid[]) and m.state in ('storing', 'stored') and %condition%
    returning m.id, m.account_id, m.size_bytes
  ), totals as (
    select account_id, sum(size_bytes)::int as bytes from released group by account_id
  ), accounts_updated as (
    update accounts a set media_bytes = a.media_bytes - t.bytes from totals t where a.id = t.account_id
  )
  select id from released`;

// A row that a post names is kept, so that the post can report the missing image.
const FORGET = `
  delete from media m where m.id = $1 and m.state = 'removing' and not exists (select 1 from post_media u where u.media_id = m.id)`;

/**
 * Marks images of one account, inside the caller's transaction if it has one.
 *
 * @param condition SQL on the row `m`, checked in the same statement
 * @param parameters of the condition, numbered from $2
 * @returns the ids that were marked
 */
export async function markReleased(
  em: SqlEntityManager,
  ids: readonly string[],
  condition = 'true',
  parameters: readonly unknown[] = [],
): Promise<string[]> {
  const rows = await query<{ id: string }>(em, RELEASE.replace('%condition%', condition), [ids, ...parameters]);
  return rows.map(({ id }) => id);
}

/** Releases unused images of one account. */
export async function releaseMedia(context: Context, ids: readonly string[]): Promise<void> {
  await removeBytes(context, await markReleased(context.db.em(), ids));
}

/** Removes the bytes of marked images. Never throws because of the store. */
export async function removeBytes(context: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    try {
      await context.media.delete(id);
    } catch (error) {
      context.log.warn(
        { mediaId: id, err: error },
        'the bytes of an image could not be removed; housekeeping tries again',
      );
      continue;
    }
    await query(context.db.em(), FORGET, [id]);
    await query(context.db.em(), `update media set state = 'removed' where id = $1 and state = 'removing'`, [id]);
  }
}
