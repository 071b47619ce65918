/**
 * One row by which processes notice that their database is a restored backup
 * (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const DatabaseMark = defineEntity({
  name: 'DatabaseMark',
  tableName: 'database_marks',
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    /** Identity of the cluster, the database and the table that this row was written in; null before the first start. */
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
