/**
 * The audit of changes that callers request: an entry is stored before the work starts and gets its outcome afterwards.
 * Concurrent entries share a statement.
 */
import { column } from '../../entities/column-lists.ts';
import { records, statement, unseenByPlanner } from '../../entities/statement.ts';
import { createBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import {
  type AuditObject,
  type AuditOutcome,
  type Change,
  newEntry,
  type NewEntry,
  OBJECTS_MAX,
  NO_WAIT,
  storeIntents,
} from './store-entries.ts';

export interface AuditLog {
  /** Stores that a change was requested; resolves with the id of the entry. */
  begin(change: Change): Promise<string>;
  /** Stores the outcome. A failure to do so is logged and not thrown, because the change itself is over. */
  settle(id: string, outcome: AuditOutcome, object: AuditObject | null): Promise<void>;
}

/** Stores which changes callers request. */
export interface WithAudit {
  readonly audit: AuditLog;
}

/** Most entries in one statement. */
const TOGETHER_MAX = 100;

interface Settlement {
  readonly id: string;
  readonly outcome: AuditOutcome;
  readonly object: AuditObject | null;
}

// No later write flushes an outcome to the disk, so a database crash may lose the last ones.
// PostgreSQL expects a hundred rows in a record set, and would read the whole table for them; the ids lead it to the index.
const settleEntries = statement('store outcomes of audit entries', {
  parameters: {
    ids: 'uuid[]',
    i: records({
      id: 'uuid',
      outcome: column('audit_entries', 'outcome'),
      objectType: column('audit_entries', 'object_type'),
      objectIds: column('audit_entries', 'object_ids'),
    }),
  },
  sql: ({ ids, i }) => `
    update audit_entries a set outcome = i.outcome, object_type = i."objectType", object_ids = i."objectIds"
    from ${NO_WAIT}${i} where a.id = any(${unseenByPlanner(ids)}) and a.id = i.id`,
});

export function createAuditLog(context: Context): AuditLog {
  const begun = createBatcher<NewEntry, void>(async (entries) => {
    await storeIntents(context, entries);
    return [];
  }, TOGETHER_MAX);
  const settled = createBatcher<Settlement, void>(async (settlements) => {
    await storeOutcomes(context, settlements);
    return [];
  }, TOGETHER_MAX);
  return {
    begin: async (change) => {
      const entry = newEntry(context, change, null);
      await begun.add(entry);
      return entry.id;
    },
    settle: async (id, outcome, object) => {
      try {
        await settled.add({ id, outcome, object });
      } catch (error) {
        context.log.error({ err: error, entry: id, outcome }, 'an outcome is missing in the audit');
      }
    },
  };
}

async function storeOutcomes(context: Context, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.map(({ id, outcome, object }) => ({
    id,
    outcome,
    objectType: object?.type ?? null,
    objectIds: object?.ids.slice(0, OBJECTS_MAX) ?? [],
  }));
  await settleEntries(context.db.queries, { ids: rows.map(({ id }) => id), i: rows });
}
