/**
 * Adds a passkey to an owner. Starting requires the password, so that a browser left open cannot be used to add one.
 */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import { Owner } from '../../../entities/owner.ts';
import { Passkey } from '../../../entities/passkey.ts';
import { tables } from '../../../entities/tables.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../../audit/record-change.ts';
import type { AuditOutcome } from '../../audit/store-entries.ts';
import type { Context } from '../../context.ts';
import { checkPassword, type PasswordCheck } from '../check-password.ts';
import { holdPassword, requireSignIn } from '../hold-sign-in.ts';
import { aboutOwner, aboutPasskey, ownerChange, type Visit } from '../owner-change.ts';
import type { SignedInPerson } from '../sign-ins.ts';
import { isOurChallenge, newChallenge, useChallenge } from './challenges.ts';
import { ALGORITHMS, type RelyingParty, relyingParty } from './relying-party.ts';

/** Maximum number of passkeys of one owner. */
const PASSKEYS_MAX = 20;

export type PasskeyOptions =
  | { readonly kind: 'options'; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly kind: 'full' }
  | Exclude<PasswordCheck, { kind: 'fits' }>;

/** The options that the browser needs to create a passkey. */
export async function passkeyOptions(
  context: Context,
  person: SignedInPerson,
  party: RelyingParty,
  password: string,
  visit: Visit,
): Promise<PasskeyOptions> {
  const { ownerId, accountId, email } = person;
  const owner = await context.db.em().findOne(Owner, { id: ownerId, accountId });
  const checked = await checkPassword(context, { email, ip: visit.ip }, owner, password);
  if (checked.kind === 'refused') await recordRefused(context, person, visit, 'unauthorized');
  if (checked.kind !== 'fits') return checked;
  const there = await context.db.em().find(Passkey, { ownerId });
  if (there.length >= PASSKEYS_MAX) return { kind: 'full' };
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
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

/** `refused`: the answer does not match our challenge, or the passkey is not new. */
export type PasskeyAddition = 'added' | 'refused' | 'full';

export async function addPasskey(
  context: Context,
  person: SignedInPerson,
  answer: unknown,
  visit: Visit,
): Promise<PasskeyAddition> {
  const { ownerId } = person;
  const verified = await verify(context, ownerId, answer);
  const isFresh = verified !== null && (await useChallenge(context, verified.challenge));
  const addition = isFresh ? await storePasskey(context, person, verified.credential, visit) : 'refused';
  if (addition === 'added') context.log.info({ ownerId }, 'an owner added a passkey');
  else await recordRefused(context, person, visit, addition === 'full' ? 'limit_exceeded' : 'invalid_request');
  return addition;
}

/** @throws ServiceError unauthorized when the sign-in has ended meanwhile */
function storePasskey(
  context: Context,
  person: SignedInPerson,
  { id: credentialId, publicKey, counter }: WebAuthnCredential,
  visit: Visit,
): Promise<PasskeyAddition> {
  const id = context.random.uuid();
  const passkey = {
    id,
    owner_id: person.ownerId,
    credential_id: credentialId,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    created_at: context.clock.now(),
  };
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdPassword(em, person.ownerId);
    await requireSignIn(em, person);
    // Several options may have been asked for while there was room for one.
    if ((await em.count(Passkey, { ownerId: person.ownerId })) >= PASSKEYS_MAX) return 'full';
    const insert = tables(em).insertInto('passkeys').values(passkey);
    const stored = await insert
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    if (stored.length === 0) return 'refused';
    const act = { operation: 'owner.addPasskey', outcome: 'ok', object: aboutPasskey(id) } as const;
    await recordChange(context, ownerChange(person, visit, act), em);
    return 'added';
  });
}

function recordRefused(context: Context, person: SignedInPerson, visit: Visit, outcome: AuditOutcome): Promise<void> {
  const act = { operation: 'owner.addPasskey', outcome, object: aboutOwner(person) } as const;
  return recordChange(context, ownerChange(person, visit, act));
}

async function verify(context: Context, ownerId: string, answer: unknown) {
  const party = relyingParty(context);
  if (party === null) return null;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
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
    // The library reports every mismatch as an exception.
    return null;
  }
}
