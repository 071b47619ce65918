/** Reads the response of a token endpoint, as far as platforms agree on it, and the expiry of tokens. */
import { z } from 'zod';
import { PlatformFailure } from './contract.ts';
import type { PlatformAnswer } from './http.ts';

/** The result of a token endpoint, for a code or for a refresh token. */
export interface TokenGrant {
  readonly accessToken: string;
  /** Null when the response has none. */
  readonly refreshToken: string | null;
  /** ISO instant at which the access token expires; null when unknown. */
  readonly expiresAt: string | null;
}

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.number().positive().nullish(),
});

/**
 * Reads a response with a success status.
 *
 * @throws PlatformFailure `unavailable` when it contains no token
 */
export function readGrant(platformName: string, { body }: PlatformAnswer, now: Date): TokenGrant {
  const token = TokenAnswer.safeParse(body);
  if (!token.success) {
    throw new PlatformFailure('unavailable', `${platformName} answered without a login; nothing was posted.`);
  }
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = token.data;
  return {
    accessToken,
    refreshToken: refreshToken ?? null,
    expiresAt: expiryOf(seconds, now),
  };
}

const Token = z.string().trim().min(1).max(4096);

/** A refresh token works only with the app that it was issued to. */
const FOR_ITS_APP = 'Used where this install is set up with the app that it was made for.';

/**
 * Input fields for a credential that a token endpoint issued.
 *
 * @param told texts: what the access token is and its scopes; when a refresh token was issued; an example instant
 */
export function tokenFields(told: { accessToken: string; refreshToken: string; instant: string }) {
  return {
    accessToken: Token.describe(told.accessToken),
    refreshToken: Token.optional().describe(`${told.refreshToken} ${FOR_ITS_APP}`),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(`Instant at which the access token ends, such as ${told.instant}.`),
  };
}

/** The values of those fields for a grant. */
export function tokensOf({ accessToken, refreshToken, expiresAt }: TokenGrant) {
  return { accessToken, ...(refreshToken !== null && { refreshToken }), ...(expiresAt !== null && { expiresAt }) };
}

/** Maximum token lifetime in seconds: ten years. A longer lifetime counts as this one. */
const LIFE_MAX_SECONDS = 10 * 365 * 86_400;

/** ISO instant at which a token with this lifetime in seconds expires; null when the lifetime is unknown. */
export function expiryOf(seconds: number | null | undefined, now: Date): string | null {
  if (seconds === undefined || seconds === null) return null;
  return new Date(now.getTime() + Math.min(seconds, LIFE_MAX_SECONDS) * 1_000).toISOString();
}

/** The instant that precedes a token's expiry by this time; null when the expiry is unknown. */
export function dueBefore(expiresAt: string | null, aheadMs: number): Date | null {
  return expiresAt === null ? null : new Date(Date.parse(expiresAt) - aheadMs);
}

/** Whether a token endpoint's error is about the app and not about the credential. */
export function isAppError(error: string | undefined): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client';
}
