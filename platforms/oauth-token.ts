/** The answer of a token endpoint, as far as platforms agree on it. */
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
    expiresAt:
      seconds === undefined || seconds === null ? null : new Date(now.getTime() + seconds * 1_000).toISOString(),
  };
}
