/** A person's consent: a client may act for the account, within limits, until it is revoked. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { APPROVAL_RULES } from './approval-actors.ts';
import { id, instant } from './columns.ts';
import { Owner } from './owner.ts';
import { Profile } from './profile.ts';

export const OauthGrant = defineEntity({
  name: 'OauthGrant',
  tableName: 'oauth_grants',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** The person who consented. */
    ownerId: () => p.manyToOne(Owner).mapToPk().deleteRule('cascade').fieldName('owner_id'),
    /** The client's id: one that this service issued, or the address of its metadata document. */
    clientId: p.text(),
    clientName: p.text(),
    /** Host of the address that the code was sent to; the scheme when there is no host. */
    redirectHost: p.text(),
    scopes: p.array(),
    /** The one profile it reaches; null reaches the whole account. */
    profileId: () => p.manyToOne(Profile).mapToPk().strictNullable().deleteRule('no action').fieldName('profile_id'),
    /** A test grant reaches sandbox connections only. */
    mode: p.enum(['live', 'test'] as const),
    /** Whether what it wants to send waits for a person. */
    approval: p.enum(APPROVAL_RULES).default('none'),
    /** The policy that its posts follow; null for none. */
    policyId: p.uuid().strictNullable(),
    createdAt: instant(),
    /** Written at most once a minute. */
    lastUsedAt: instant().strictNullable(),
    revokedAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['ownerId', 'id'] },
    { properties: ['clientId'] },
    {
      name: 'oauth_grants_ended_index',
      expression: `create index "oauth_grants_ended_index" on "oauth_grants" (coalesce("revoked_at", "last_used_at", "created_at"))`,
    },
  ],
});
export type OauthGrant = InferEntity<typeof OauthGrant>;
