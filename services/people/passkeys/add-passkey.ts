/** Adds a passkey to an owner. Asking for it takes the password, so that a browser left open makes nobody a way in. */
import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { Owner } from '../../../entities/owner.ts';
import { Passkey } from '../../../entities/passkey.ts';
import { query } from '../../../entities/query.ts';
import type { Context } from '../../context.ts';
import { checkPassword, type PasswordCheck } from '../check-password.ts';
import type { SignedInPerson } from '../sign-ins.ts';
import { isOurChallenge, newChallenge, useChallenge } from './challenges.ts';
import { ALGORITHMS, type RelyingParty, relyingParty } from './relying-party.ts';

/** Passkeys of one owner. */
const PASSKEYS_MAX = 20;

export type PasskeyOptions =
  | { readonly kind: 'options'; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly kind: 'full' }
  | Exclude<PasswordCheck, { kind: 'fits' }>;

/** What the browser needs to make one. */
export async function passkeyOptions(
  context: Context,
  person: SignedInPerson,
  party: RelyingParty,
  { password, ip }: { readonly password: string; readonly ip: string },
): Promise<PasskeyOptions> {
  const { ownerId, accountId, email } = person;
  const owner = await context.db.em().findOne(Owner, { id: ownerId, accountId });
  const checked = await checkPassword(context, { email, ip }, owner, password);
  if (checked.kind !== 'fits') return checked;
  const there = await context.db.em().find(Passkey, { ownerId });
  if (there.length >= PASSKEYS_MAX) return { kind: 'full' };
  const options = await generateRegistrationOptions({
    rpName: 'Carillon',
    rpID: party.rpID,
    userName: email,
    userID: new TextEncoder().encode(ownerId),
    challenge: newChallenge(context, { add: ownerId }),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: there.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { kind: 'options', options };
}

/** @returns whether the browser's answer was one to our challenge, and the passkey is new here */
export async function addPasskey(context: Context, person: SignedInPerson, answer: unknown): Promise<boolean> {
  const { ownerId } = person;
  const verified = await verify(context, ownerId, answer);
  if (verified === null || !(await useChallenge(context, verified.challenge))) return false;
  const { id, publicKey, counter } = verified.credential;
  const sql = `
    insert into passkeys (id, owner_id, credential_id, public_key, counter, created_at)
    values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`;
  const key = Buffer.from(publicKey).toString('base64url');
  const parameters = [context.random.uuid(), ownerId, id, key, counter, context.clock.now()];
  const added = await query(context.db.em(), sql, parameters);
  if (added.length === 1) context.log.info({ ownerId }, 'an owner added a passkey');
  return added.length === 1;
}

async function verify(context: Context, ownerId: string, answer: unknown) {
  const party = relyingParty(context);
  if (party === null) return null;
  let challenge = '';
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: answer as RegistrationResponseJSON,
      expectedChallenge: (given) => {
        challenge = given;
        return isOurChallenge(context, { add: ownerId }, given);
      },
      expectedOrigin: party.origin,
      expectedRPID: party.rpID,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo === undefined ? null : { challenge, credential: registrationInfo.credential };
  } catch {
    // Whatever does not fit is told by an exception.
    return null;
  }
}
