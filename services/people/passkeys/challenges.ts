/**
 * Challenges that a device signs to prove a passkey. A challenge contains its purpose and expiry, signed by us, so that
 * requesting one stores nothing. An answered challenge is stored until it expires, so that each answer counts once.
 */
import { tables } from '../../../entities/tables.ts';
import type { Context } from '../../context.ts';
import { hashSecret } from '../../secrets.ts';

/** The purpose of a challenge: adding a passkey for an owner, or signing in. */
export type ChallengeFor = { readonly add: string } | 'sign in';

const GOOD_FOR_MS = 300_000;

/** In base64url, as browsers return it. */
export function newChallenge(context: Context, purpose: ChallengeFor): Uint8Array<ArrayBuffer> {
  const random = context.random.bytes(16).toString('base64url');
  const text = `${subjectOf(purpose)}.${random}.${context.clock.now().getTime() + GOOD_FOR_MS}`;
  return new TextEncoder().encode(`${text}.${context.signer.sign('passkeyChallenge', text)}`);
}

/** @param challenge in base64url, as the browser returned it */
export function isOurChallenge(context: Context, purpose: ChallengeFor, challenge: string): boolean {
  const [subject, random, until, signature] = partsOf(challenge);
  const isSigned = context.signer.isSigned('passkeyChallenge', `${subject}.${random}.${until}`, signature);
  return isSigned && subject === subjectOf(purpose) && Number(until) > context.clock.now().getTime();
}

/** @returns whether this is its first answer */
export async function useChallenge(context: Context, challenge: string): Promise<boolean> {
  const [, , until] = partsOf(challenge);
  const used = await tables(context.db.queries)
    .insertInto('used_challenges')
    .values({ hash: hashSecret(challenge), expires_at: new Date(Number(until)) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .execute();
  return used.length === 1;
}

function partsOf(challenge: string): [subject: string, random: string, until: string, signature: string] {
  const [subject = '', random = '', until = '', signature = ''] = Buffer.from(challenge, 'base64url')
    .toString()
    .split('.');
  return [subject, random, until, signature];
}

function subjectOf(purpose: ChallengeFor): string {
  return purpose === 'sign in' ? purpose : `add ${purpose.add}`;
}
