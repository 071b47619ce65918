/** Until when the numbers of a platform, or of one connection to it, are not asked for, because it said so or did not answer. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const ReadPause = defineEntity({
  name: 'ReadPause',
  tableName: 'read_pauses',
  properties: {
    /** Id of the connection; of the platform, where posts of many connections are asked for together. */
    lane: p.string().primary(),
    until: instant(),
    /** How often in a row it did not answer. */
    failures: p.integer().default(0),
  },
});
export type ReadPause = InferEntity<typeof ReadPause>;
