/** The answer of a token endpoint, as far as platforms agree on it, and until when a token holds. */
import { z } from 'zod';
import { PlatformFailure } from './contract.ts';
import type { PlatformAnswer } from './http.ts';

/** What a token endpoint gives, for a code or for a refresh token. */
export interface TokenGrant {
  readonly accessToken: string;
  /** Null when it gave none. */
  readonly refreshToken: string | null;
  /** ISO instant from which the access token is no longer taken; null when that is not known. */
  readonly expiresAt: string | null;
}

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.number().positive().nullish(),
});

/**
 * Reads an answer that is a success by its status.
 *
 * @throws PlatformFailure `unavailable` when it holds no token
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

/** Refresh tokens are of use to the app they were made for alone. */
const FOR_ITS_APP = 'Used where this install is set up with the app that it was made for.';

/**
 * Fields in which a login that a token endpoint gave is handed in.
 *
 * @param told what the access token is and which scopes it has; when a refresh token came; an instant for example
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

/** What those fields hold of a grant. */
export function tokensOf({ accessToken, refreshToken, expiresAt }: TokenGrant) {
  return { accessToken, ...(refreshToken !== null && { refreshToken }), ...(expiresAt !== null && { expiresAt }) };
}

/** A token that is said to last longer counts as one that lasts so long: ten years, in seconds. */
const LIFE_MAX_SECONDS = 10 * 365 * 86_400;

/** ISO instant from which a token that holds for so many seconds is no longer taken; null when that is not known. */
export function expiryOf(seconds: number | null | undefined, now: Date): string | null {
  if (seconds === undefined || seconds === null) return null;
  return new Date(now.getTime() + Math.min(seconds, LIFE_MAX_SECONDS) * 1_000).toISOString();
}

/** The instant so long ahead of a token's end; null when the end is not known. */
export function dueBefore(expiresAt: string | null, aheadMs: number): Date | null {
  return expiresAt === null ? null : new Date(Date.parse(expiresAt) - aheadMs);
}

/** Whether an error of a token endpoint says that the app is wrong rather than the login. */
export function isAppError(error: string | undefined): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client';
}
