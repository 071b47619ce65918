/** When a worker loop last ran and last succeeded; GET /health reads it. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const WorkerState = defineEntity({
  name: 'WorkerState',
  tableName: 'worker_states',
  properties: {
    /** The loop's name, as /health shows it. */
    name: p.string().primary(),
    /** When a worker last started; its loops are not late right after. */
    startedAt: instant().strictNullable(),
    /** Null until its first round is over. */
    lastRunAt: instant().strictNullable(),
    lastOkAt: instant().strictNullable(),
    /** One line about the last failure; null after a success. */
    lastError: p.text().strictNullable(),
  },
});
export type WorkerState = InferEntity<typeof WorkerState>;
