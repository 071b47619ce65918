/** What a key or an agent, and every key that it creates, may send without a person (docs/contract/policies.md). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { APPROVAL_ACTORS } from './approval-actors.ts';
import { id, instant } from './columns.ts';

/** Whose posts a policy is about. */
export const POLICY_KINDS = ['key', 'grant'] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

/** The rules of a policy. A rule that is null, false or empty stops nothing. */
export interface PolicyRules {
  /** The only connections that it may post to. */
  readonly connectionIds: string[] | null;
  /** The only platforms that it may post to. */
  readonly platforms: string[] | null;
  /** Most posts in any 60 minutes. */
  readonly postsPerHour: number | null;
  /** Most posts in any 24 hours. */
  readonly postsPerDay: number | null;
  /** Wall times between which nothing goes out; `from` after `to` goes over midnight. */
  readonly quietHours: { from: string; to: string; timezone: string } | null;
  /** Most fees of a month (UTC), in cents. */
  readonly spendCentsPerMonth: number | null;
  /** Whether every post needs a person. */
  readonly approvalAlways: boolean;
  /** Words that need a person. */
  readonly approvalWords: string[];
  /** Whether links need a person. */
  readonly approvalLinks: boolean;
  /** Hosts, with their subdomains, whose links need no person. */
  readonly linkHosts: string[];
}

export const Policy = defineEntity({
  name: 'Policy',
  tableName: 'policies',
  properties: {
    /** Id of the key or grant. */
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    kind: p.enum(POLICY_KINDS),
    /**
     * The policy that it was copied from, for an agent that was allowed again, or the one that this one was copied from: their posts
     * count together. Null for a policy that was set. That policy may be gone.
     */
    countsWith: p.uuid().strictNullable(),
    rules: p.json<PolicyRules>(),
    changedAt: instant(),
    changedByKind: p.enum(APPROVAL_ACTORS),
    changedById: p.uuid(),
    changedByName: p.text(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'policies_counts_with_index',
      expression: `create index "policies_counts_with_index" on "policies" ("counts_with") where ("counts_with" is not null)`,
    },
  ],
});
export type Policy = InferEntity<typeof Policy>;
