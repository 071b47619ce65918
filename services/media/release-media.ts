/**
 * Releases images: their rows stop counting as storage and cannot be used any more; then their bytes are removed. If
 * that fails, housekeeping finds the rows and removes the bytes later.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { anyOf } from '../../entities/any-of.ts';
import { column } from '../../entities/column-lists.ts';
import { Media } from '../../entities/media.ts';
import { statement } from '../../entities/statement.ts';
import { type Schema, tables } from '../../entities/tables.ts';
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

/** {@link IS_UNUSED} for a typed query of `media`. */
export function isUnused(of: ExpressionBuilder<Schema, 'media'>): Expression<SqlBool> {
  const uses = of.selectFrom('post_media').select('post_media.id').whereRef('post_media.media_id', '=', 'media.id');
  return of.not(of.exists(uses));
}

/** The result of {@link releaseSql}. */
export const RELEASED = { id: column('media', 'id') };

/**
 * SQL statement that marks images of one account, and returns the ids that it marked.
 *
 * @param ids parameter with the ids
 * @param condition SQL on the row `m`
 */
export function releaseSql(ids: string, condition: string): string {
  return `
    with released as (
      update media m set state = 'removing'
      where m.id = any(${ids}) and m.state in ('storing', 'stored') and ${condition}
      returning m.id, m.account_id, m.size_bytes
    ), totals as (
      select account_id, sum(size_bytes)::int as bytes from released group by account_id
    ), accounts_updated as (
      update accounts a set media_bytes = a.media_bytes - t.bytes from totals t where a.id = t.account_id
    )
    select id from released`;
}

const releaseAll = statement('release images', {
  parameters: { ids: 'uuid[]' },
  result: RELEASED,
  sql: ({ ids }) => releaseSql(ids, 'true'),
});

const releaseUnnamed = statement('release images that no post names', {
  parameters: { ids: 'uuid[]' },
  result: RELEASED,
  sql: ({ ids }) => releaseSql(ids, IS_UNUSED),
});

/** Releases, of the images of one account, those that no post names, with their bytes. */
export async function releaseUnused(context: Context, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const released = await context.db.em().transactional(async (em: SqlEntityManager) => {
    // Waits for posts that are being stored with them. The next statement sees those.
    await tables(em).selectFrom('media').select('id').where('id', '=', anyOf(ids)).orderBy('id').forUpdate().execute();
    return releaseUnnamed(em, { ids });
  });
  await removeBytes(context, released);
}

/** Releases images of one account that no post uses, with their bytes. */
export async function releaseMedia(context: Context, ids: readonly string[]): Promise<void> {
  const released = await releaseAll(context.db.em(), { ids });
  await removeBytes(context, released);
}

/**
 * Removes the bytes of marked images. Never throws because of the store.
 *
 * @param signal ends it before the next image
 * @returns of how many images the bytes were removed
 */
export async function removeBytes(
  context: Context,
  images: readonly { readonly id: string }[],
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const { id } of images) {
    if (signal?.aborted === true) break;
    try {
      await context.media.delete(id);
    } catch (error) {
      context.log.warn(
        { mediaId: id, err: error },
        'the bytes of an image could not be removed; housekeeping tries again',
      );
      continue;
    }
    const em = context.db.em();
    // A row that a post names is kept, so that the post can report the missing image.
    const unused = tables(em).deleteFrom('media').where('id', '=', id).where('state', '=', 'removing').where(isUnused);
    await unused.execute();
    await em.nativeUpdate(Media, { id, state: 'removing' }, { state: 'removed' });
    removed += 1;
  }
  return removed;
}
