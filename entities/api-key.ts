/** A key that authenticates callers (docs/contract/profiles-and-keys.md#keys). Only a hash of the secret is stored. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { APPROVAL_RULES } from './approval-actors.ts';
import { id, instant } from './columns.ts';
import { Profile } from './profile.ts';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** The one profile the key reaches; null reaches the whole account. */
    profileId: () => p.manyToOne(Profile).mapToPk().strictNullable().deleteRule('no action').fieldName('profile_id'),
    name: p.string().length(80),
    type: p.enum(['live', 'test'] as const),
    /** First characters of the secret: the only part that is shown again. */
    prefix: p.string(),
    /** Hex SHA-256 of the secret. */
    secretHash: p.string().length(64).unique(),
    /** Origins that connect sessions may return to; null allows any public https address. */
    redirectAllowlist: p.array().strictNullable(),
    /** Names of the scopes it is limited to; null for all. */
    scopes: p.array().strictNullable(),
    /** Whether what it wants to send waits for a person. */
    approval: p.enum(APPROVAL_RULES).default('none'),
    /** The policy that its posts follow: its own, or that of the key or grant that created it; null for none. */
    policyId: p.uuid().strictNullable(),
    /** The key that created it; null when a grant, an owner, the operator or the first start created it. */
    createdByKeyId: p.uuid().strictNullable(),
    /** The OAuth grant it was created under; it ends with the grant. The row of the grant may be gone. */
    grantId: p.uuid().strictNullable(),
    createdAt: instant(),
    /** Written at most once a minute. */
    lastUsedAt: instant().strictNullable(),
    /** From when it is refused; null for never. */
    expiresAt: instant().strictNullable(),
    revokedAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'createdAt'] },
    { properties: ['profileId', 'id'] },
    {
      name: 'api_keys_created_by_key_id_index',
      expression: `create index "api_keys_created_by_key_id_index" on "api_keys" ("created_by_key_id") where ("created_by_key_id" is not null)`,
    },
    {
      name: 'api_keys_policy_id_index',
      expression: `create index "api_keys_policy_id_index" on "api_keys" ("policy_id") where ("policy_id" is not null)`,
    },
    {
      name: 'api_keys_grant_id_index',
      expression: `create index "api_keys_grant_id_index" on "api_keys" ("grant_id") where ("grant_id" is not null)`,
    },
  ],
});
export type ApiKey = InferEntity<typeof ApiKey>;
