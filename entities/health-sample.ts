/** How the service was in one minute (docs/contract/metrics.md#uptime). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const HealthSample = defineEntity({
  name: 'HealthSample',
  tableName: 'health_samples',
  properties: {
    /** The instant at which the minute began; as the key it keeps samples to one a minute over all processes. */
    minute: p.datetime(3).primary(),
    degraded: p.boolean(),
  },
});
export type HealthSample = InferEntity<typeof HealthSample>;
