/** Where an export ends, so that it does not follow what is created meanwhile. */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { earliestId, ID_SLACK_MS } from '../ids.ts';

/** Tables whose ids exports page by. */
export type ExportTable = 'posts' | 'audit_entries' | 'connections' | 'webhooks' | 'profiles' | 'media';

/**
 * @returns the last id that an export may have: that of the present, or of the newest row if that was created before the
 *   clock was set back
 */
export async function exportEnd({ clock, db }: Context, table: ExportTable): Promise<string> {
  const present = earliestId(new Date(clock.now().getTime() + ID_SLACK_MS));
  const newest = await tables(db.queries)
    .selectFrom(table)
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest !== undefined && newest.id > present ? newest.id : present;
}
