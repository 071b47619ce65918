/** OWNER_EMAIL and OWNER_PASSWORD: both or neither, valid values only, and no message contains the password. */
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

const OWNER_EMAIL = 'owner@bells.example';
const OWNER_PASSWORD = 'four bells at midnight';

it.each([
  [{}, null],
  [{ OWNER_EMAIL: '', OWNER_PASSWORD: '' }, null],
  [
    { OWNER_EMAIL: 'Owner@Bells.Example', OWNER_PASSWORD },
    { email: OWNER_EMAIL, password: OWNER_PASSWORD },
  ],
])('%j sets the owner to %j', (env, owner) => {
  expect(readConfig(env).owner).toEqual(owner);
});

it.each([
  [{ OWNER_EMAIL }, 'OWNER_EMAIL: is set together with OWNER_PASSWORD'],
  [{ OWNER_PASSWORD }, 'OWNER_EMAIL: is set together with OWNER_PASSWORD'],
  [{ OWNER_EMAIL: 'owner', OWNER_PASSWORD }, 'OWNER_EMAIL: must be an address such as you@bells.example'],
  [{ OWNER_EMAIL, OWNER_PASSWORD: 'hidden-pass' }, 'OWNER_PASSWORD: must have at least 12 characters; this one has 11'],
  [{ OWNER_EMAIL, OWNER_PASSWORD: 'ü'.repeat(513) }, 'OWNER_PASSWORD: must have at most 1024 bytes; this one has 1026'],
  [{ OWNER_EMAI: 'owner@bells.example' }, 'OWNER_EMAI: is not a setting; did you mean OWNER_EMAIL?'],
])('%j is refused', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});
