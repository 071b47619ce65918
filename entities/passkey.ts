/** A passkey of an owner: the public half of a key pair that stays in the owner's device. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';
import { Owner } from './owner.ts';

export const Passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: id(),
    ownerId: () => p.manyToOne(Owner).mapToPk().fieldName('owner_id'),
    /** What the device calls it, in base64url. */
    credentialId: p.text().unique(),
    /** COSE, in base64url. */
    publicKey: p.text(),
    /** How often the device says it was used; 0 from devices that do not count. Up to 2^32, so no integer. */
    counter: p.double(),
    createdAt: instant(),
    lastUsedAt: instant().nullable(),
  },
  indexes: [{ properties: ['ownerId', 'id'] }],
});
export type Passkey = InferEntity<typeof Passkey>;
