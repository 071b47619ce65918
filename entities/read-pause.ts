/**
 * A pause in reading metrics from a platform, or from one connection to it, because it asked for one or did not answer.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const ReadPause = defineEntity({
  name: 'ReadPause',
  tableName: 'read_pauses',
  properties: {
    /** Id of the connection, or of the platform when posts of many connections are requested together. */
    batch: p.string().primary(),
    until: instant(),
    /** Failures in a row. */
    failures: p.integer().default(0),
  },
  indexes: [{ properties: ['until'] }],
});
export type ReadPause = InferEntity<typeof ReadPause>;
