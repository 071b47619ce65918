/** Health of the service in one minute (docs/contract/metrics.md#uptime). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const HealthSample = defineEntity({
  name: 'HealthSample',
  tableName: 'health_samples',
  properties: {
    /** Start of the minute; as the primary key it limits samples to one a minute across all processes. */
    minute: p.datetime(3).primary(),
    degraded: p.boolean(),
  },
});
export type HealthSample = InferEntity<typeof HealthSample>;
