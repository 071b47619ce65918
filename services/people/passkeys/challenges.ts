/**
 * What a device signs to prove a passkey. A challenge carries its purpose and its end, signed by us, so that asking for
 * one stores nothing; one that was answered is noted until its end, so that each answer counts once.
 */
import { query } from '../../../entities/query.ts';
import type { Context } from '../../context.ts';
import { hashSecret } from '../../secrets.ts';

/** For whom a challenge is: a person who adds a passkey, or whoever signs in with one. */
export type ChallengeFor = { readonly add: string } | 'sign in';

const GOOD_FOR_MS = 300_000;

/** In base64url, as browsers give it back. */
export function newChallenge(context: Context, purpose: ChallengeFor): Uint8Array<ArrayBuffer> {
  const random = context.random.bytes(16).toString('base64url');
  const text = `${subjectOf(purpose)}.${random}.${context.clock.now().getTime() + GOOD_FOR_MS}`;
  return new TextEncoder().encode(`${text}.${context.signer.sign('passkeyChallenge', text)}`);
}

/** @param challenge in base64url, as it came back */
export function isOurChallenge(context: Context, purpose: ChallengeFor, challenge: string): boolean {
  const [subject, random, until, signature] = partsOf(challenge);
  const isSigned = context.signer.isSigned('passkeyChallenge', `${subject}.${random}.${until}`, signature);
  return isSigned && subject === subjectOf(purpose) && Number(until) > context.clock.now().getTime();
}

/** @returns whether it was answered for the first time */
export async function useChallenge(context: Context, challenge: string): Promise<boolean> {
  const [, , until] = partsOf(challenge);
  const sql = 'insert into used_challenges (hash, expires_at) values ($1, $2) on conflict do nothing returning hash';
  return (await query(context.db.em(), sql, [hashSecret(challenge), new Date(Number(until))])).length === 1;
}

export async function tidyChallenges(context: Context): Promise<void> {
  await query(context.db.em(), 'delete from used_challenges where expires_at <= $1', [context.clock.now()]);
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
