/** How often signing in was tried in vain, by address, by machine, and by both together; and until when nobody may try again. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const SignInWait = defineEntity({
  name: 'SignInWait',
  tableName: 'sign_in_waits',
  properties: {
    /** A keyed hash: the table names nobody. */
    bucket: p.string().length(43).primary(),
    failures: p.integer(),
    /** From here on the next one may try; null while there were few failures. */
    waitUntil: instant().nullable(),
    lastTriedAt: instant(),
  },
});
export type SignInWait = InferEntity<typeof SignInWait>;
