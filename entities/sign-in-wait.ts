/**
 * Login throttle: counts failed sign-ins by address, by machine and by both together, and stores until when no attempt
 * is allowed.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const SignInWait = defineEntity({
  name: 'SignInWait',
  tableName: 'sign_in_waits',
  properties: {
    /** A keyed hash: the table contains no personal data in clear text. */
    bucket: p.string().length(43).primary(),
    failures: p.integer(),
    /** When the next attempt is allowed; null after only a few failures. */
    waitUntil: instant().strictNullable(),
    lastTriedAt: instant(),
  },
  indexes: [{ properties: ['lastTriedAt'] }],
});
export type SignInWait = InferEntity<typeof SignInWait>;
