/** A passkey of an owner: the public key of a key pair whose private key stays on the owner's device. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';
import { Owner } from './owner.ts';

export const Passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: id(),
    ownerId: () => p.manyToOne(Owner).mapToPk().deleteRule('cascade').fieldName('owner_id'),
    /** The device's id of the credential, in base64url. */
    credentialId: p.text().unique(),
    /** COSE, in base64url. */
    publicKey: p.text(),
    /** Use counter of the device; 0 from devices that do not count. Up to 2^32, too large for an integer column. */
    counter: p.double(),
    createdAt: instant(),
    lastUsedAt: instant().strictNullable(),
  },
  indexes: [{ properties: ['ownerId', 'id'] }],
});
export type Passkey = InferEntity<typeof Passkey>;
