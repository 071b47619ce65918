/**
 * A person who signs in to an account, with a role in it; keys never sign a person in (docs/contract/agents.md#people). An
 * account has one owner at least.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** What a person may do in the account; services/access/roles.ts defines it. */
export const ROLES = ['owner', 'editor', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const Owner = defineEntity({
  name: 'Owner',
  tableName: 'owners',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** Lowercase. */
    email: p.string().unique(),
    role: p.enum(ROLES).default('owner'),
    /** A salted hash; null until the person has chosen a password. */
    passwordHash: p.text().strictNullable(),
    createdAt: instant(),
    /** Whether the person gets the weekly digest, as an owner. */
    digest: p.boolean().default(true),
    /** IANA zone in which its Monday begins; null for UTC. */
    digestZone: p.text().strictNullable(),
    /** When the next one is due; null until a worker has planned it. */
    digestAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'owners_digest_index',
      expression: `create index "owners_digest_index" on "owners" (coalesce("digest_at", "created_at")) where ("digest" and "role" = 'owner')`,
    },
  ],
});
export type Owner = InferEntity<typeof Owner>;
