/**
 * Signs an owner in with a passkey. A passkey cannot be guessed, so there is no throttling: owners can sign in this way
 * while passwords are throttled.
 */
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Owner } from '../../../entities/owner.ts';
import { Passkey } from '../../../entities/passkey.ts';
import type { Context } from '../../context.ts';
import { recordChange } from '../../audit/record-change.ts';
import { ownerIdentity } from '../owner-caller.ts';
import { aboutPasskey, ownerChange, type Visit } from '../owner-change.ts';
import { signInOwner } from '../sign-in-owner.ts';
import { isOurChallenge, newChallenge, useChallenge } from './challenges.ts';
import { type RelyingParty, relyingParty } from './relying-party.ts';

/** The options that the browser needs to offer its passkeys for this install. */
export async function signInOptions(
  context: Context,
  party: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  // The library is large, and most installs never use it.
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  return generateAuthenticationOptions({
    rpID: party.rpID,
    challenge: newChallenge(context, 'sign in'),
    userVerification: 'required',
  });
}

/** @returns the secret for the browser; null when the answer is not from a known passkey */
export async function signInWithPasskey(context: Context, answer: unknown, visit: Visit): Promise<string | null> {
  const { id: credentialId } = (answer ?? {}) as { id?: unknown };
  if (typeof credentialId !== 'string' || !/^[\w-]+$/.test(credentialId)) return null;
  const passkey = await context.db.em().findOne(Passkey, { credentialId });
  const verified = passkey === null ? null : await verify(context, passkey, answer);
  if (passkey === null || verified === null || !(await useChallenge(context, verified.challenge))) return null;
  const owner = await context.db.em().findOneOrFail(Owner, { id: passkey.ownerId });
  if (await countOn(context, passkey, verified.counter)) {
    // It may have been removed since it was read.
    return signInOwner(context, owner, visit, async (em) => (await em.count(Passkey, { id: passkey.id })) > 0);
  }
  await recordCopy(context, owner, passkey.id, visit);
  return null;
}

/**
 * Of all refusals, only this one is audited: anyone can send an answer, but only the device or a copy of it can sign
 * one.
 */
async function recordCopy(context: Context, owner: Owner, passkeyId: string, visit: Visit): Promise<void> {
  const act = { operation: 'owner.signIn', outcome: 'unauthorized', object: aboutPasskey(passkeyId) } as const;
  await recordChange(context, ownerChange(ownerIdentity(owner), visit, act));
}

async function verify(context: Context, passkey: Passkey, answer: unknown) {
  const party = relyingParty(context);
  if (party === null) return null;
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'));
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  let challenge = '';
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as AuthenticationResponseJSON,
      expectedChallenge: (given) => {
        challenge = given;
        return isOurChallenge(context, 'sign in', given);
      },
      expectedOrigin: party.origin,
      expectedRPID: party.rpID,
      // countOn checks the counter, because it can distinguish a copy from an invalid answer.
      credential: { id: passkey.credentialId, publicKey, counter: 0 },
    });
    return verified ? { challenge, counter: authenticationInfo.newCounter } : null;
  } catch {
    // The library reports every mismatch as an exception.
    return null;
  }
}

/** A counter that does not increase indicates a copied device. Devices without a counter always send 0. */
async function countOn(context: Context, { id, ownerId }: Passkey, counter: number): Promise<boolean> {
  const earlier = counter === 0 ? 0 : { $lt: counter };
  const used = { counter, lastUsedAt: context.clock.now() };
  return (await context.db.em().nativeUpdate(Passkey, { id, ownerId, counter: earlier }, used)) === 1;
}
