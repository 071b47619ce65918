/** A stop: nothing of an account, a profile, a key or an agent goes out until a person releases it (docs/contract/stops.md). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { APPROVAL_ACTORS } from './approval-actors.ts';
import { id, instant } from './columns.ts';

/** What is stopped. */
export const STOP_KINDS = ['account', 'profile', 'key', 'grant'] as const;
export type StopKind = (typeof STOP_KINDS)[number];

/** What happened to the posts that were held. */
export const STOP_OUTCOMES = ['sent', 'dropped'] as const;

export const Stop = defineEntity({
  name: 'Stop',
  tableName: 'stops',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    kind: p.enum(STOP_KINDS),
    /** Id of the profile, key or grant; for an account its own. */
    targetId: p.uuid(),
    /** The client of a stopped grant, which may be deleted while the stop is active; null for other targets. */
    clientId: p.text().strictNullable(),
    reason: p.text().strictNullable(),
    startedAt: instant(),
    startedByKind: p.enum(APPROVAL_ACTORS),
    startedById: p.uuid(),
    startedByName: p.text(),
    releasedAt: instant().strictNullable(),
    releasedByName: p.text().strictNullable(),
    outcome: p.enum(STOP_OUTCOMES).strictNullable(),
  },
  indexes: [{ properties: ['accountId', 'id'] }],
  uniques: [
    {
      name: 'stops_active_unique',
      expression: `create unique index "stops_active_unique" on "stops" ("account_id", "kind", "target_id") where ("released_at" is null)`,
    },
  ],
});
export type Stop = InferEntity<typeof Stop>;
