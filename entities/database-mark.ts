/**
 * One row by which processes notice that their database is a restored backup
 * (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

/**
 * SQL for the identity of the place that a database is in. It differs between a database and what a dump or a copy of it was
 * restored to: a cluster, a database and a table keep their numbers for life. A standby has those of its primary.
 */
export const HOME = `(select system_identifier from pg_control_system()) || '/'
  || (select oid from pg_database where datname = current_database()) || '/' || 'database_marks'::regclass::oid`;

/** No place: the next process that reads the mark holds the posts that are due. */
export const RESTORED_HOME = 'a restored backup';

export const DatabaseMark = defineEntity({
  name: 'DatabaseMark',
  tableName: 'database_marks',
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    /** The {@link HOME} that this row was written in, or {@link RESTORED_HOME}; null in a new copy of an older version. */
    home: p.text().strictNullable(),
    /** Grows while processes run. */
    beat: p.integer().default(0),
    /** Posts that were due by this instant are held; null when none are. */
    heldUntil: instant().strictNullable(),
    /** Whether workers look the held posts up and settle them. */
    isSettling: p.boolean().default(false),
  },
});
export type DatabaseMark = InferEntity<typeof DatabaseMark>;
