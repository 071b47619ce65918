/** An end customer of a product built on the service (docs/contract/profiles-and-keys.md#profiles). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** How the writer of a profile words posts, for AI polish. */
export interface ProfileVoice {
  /** Rules of style, in the words of the account. */
  rules: string[];
  /** Texts that sound right. */
  examples: string[];
  /** Words and phrases that a rewrite must not contain. */
  bannedPhrases: string[];
}

export const Profile = defineEntity({
  name: 'Profile',
  tableName: 'profiles',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    name: p.string().length(100),
    /** The caller's id for the profile, unique among the account's profiles that are not deleted. */
    externalId: p.string().length(200).strictNullable(),
    /** Null when the profile has none. */
    voice: p.json<ProfileVoice>().strictNullable(),
    createdAt: instant(),
    deletedAt: instant().strictNullable(),
  },
  indexes: [{ properties: ['accountId', 'id'] }],
  uniques: [
    {
      name: 'profiles_external_id_unique',
      expression:
        'create unique index "profiles_external_id_unique" on "profiles" ("account_id", "external_id") where ("deleted_at" is null)',
    },
  ],
});
export type Profile = InferEntity<typeof Profile>;
