/**
 * Events of Nostr: content with an id that is the hash of all of it, signed by the account (NIP-01). The same content, time
 * and account give the same id, so that a relay stores a repeated event once.
 */
import { createHash } from 'node:crypto';
import { schnorr } from '@noble/curves/secp256k1.js';

/** Kinds of events (https://github.com/nostr-protocol/nips#event-kinds). */
export const KIND = {
  profile: 0,
  note: 1,
  deletion: 5,
  repost: 6,
  reaction: 7,
  relayAuth: 22_242,
  blossomAuth: 24_242,
} as const;

export interface EventDraft {
  readonly kind: number;
  readonly createdAt: Date;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
}

export interface SignedEvent {
  /** 64 hexadecimal digits. */
  readonly id: string;
  readonly pubkey: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
}

/** @param secretKey 32 bytes as hexadecimal digits */
export function publicKeyOf(secretKey: string): string {
  return Buffer.from(schnorr.getPublicKey(Buffer.from(secretKey, 'hex'))).toString('hex');
}

export function signEvent({ kind, createdAt, tags, content }: EventDraft, secretKey: string): SignedEvent {
  const pubkey = publicKeyOf(secretKey);
  const createdSeconds = Math.floor(createdAt.getTime() / 1_000);
  const serialized = JSON.stringify([0, pubkey, createdSeconds, kind, tags, content]);
  const id = createHash('sha256').update(serialized).digest();
  const sig = Buffer.from(schnorr.sign(id, Buffer.from(secretKey, 'hex'))).toString('hex');
  return { id: id.toString('hex'), pubkey, created_at: createdSeconds, kind, tags, content, sig };
}
