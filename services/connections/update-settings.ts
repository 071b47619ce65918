/**
 * Changes the slug and description of a connection, and whether an AI rewrite is requested on it
 * (docs/contract/profiles-and-keys.md#account).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RewriteMode } from '../../entities/connection.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { connectionConflict } from './connection-conflict.ts';
import { lockConnection } from './lock-connection.ts';

export interface SettingsChanges {
  readonly description?: string | undefined;
  readonly slug?: string | undefined;
  readonly rewriteMode?: RewriteMode | undefined;
}

export interface ConnectionSettings {
  id: string;
  slug: string;
  description: string;
  rewriteMode: RewriteMode;
}

/**
 * Stored posts keep the slug they were created with, and are still sent.
 *
 * @throws ServiceError not_found, connection_conflict (slug already there)
 */
export async function updateSettings(
  context: Context,
  caller: Caller,
  connectionId: string,
  changes: SettingsChanges,
): Promise<ConnectionSettings> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    // One change of a slug at a time in an account: two connections that swap theirs would otherwise deadlock.
    if (changes.slug !== undefined) await lockAccount(em, caller.accountId);
    const connection = await lockConnection(em, caller, connectionId);
    connection.description = changes.description ?? connection.description;
    connection.slug = changes.slug ?? connection.slug;
    connection.rewriteMode = changes.rewriteMode ?? connection.rewriteMode;
    try {
      await em.flush();
    } catch (error) {
      throw connectionConflict(error, { ...connection, profileId: connection.profileId ?? null });
    }
    const { id, slug, description, rewriteMode } = connection;
    return { id, slug, description, rewriteMode };
  });
}
