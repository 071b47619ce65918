/** A credential that a token endpoint issued: its tokens, their expiry, and the input fields for them. */
import { z } from 'zod';
import { fieldFacts } from './credential-fields.ts';

/** The result of a token endpoint, for a code or for a refresh token. */
export interface TokenGrant {
  readonly accessToken: string;
  /** Null when the response has none. */
  readonly refreshToken: string | null;
  /** ISO instant at which the access token expires; null when unknown. */
  readonly expiresAt: string | null;
  /** ISO instant at which it was issued. Absent in credentials that a caller gave, and in old ones. */
  readonly issuedAt?: string;
}

const Token = z.string().trim().min(1).max(4096);

/** A refresh token works only with the app that it was issued to. */
const FOR_ITS_APP = 'Used where this install is set up with the app that it was made for.';

/**
 * Input fields for a credential that a token endpoint issued.
 *
 * @param describe texts: what the access token is and its scopes; when a refresh token was issued; an example instant
 */
export function tokenFields(describe: { accessToken: string; refreshToken: string; instant: string }) {
  return {
    accessToken: Token.describe(describe.accessToken).register(fieldFacts, { label: 'Access token', kind: 'secret' }),
    refreshToken: Token.optional()
      .describe(`${describe.refreshToken} ${FOR_ITS_APP}`)
      .register(fieldFacts, { label: 'Refresh token', kind: 'secret' }),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(`Instant at which the access token ends, such as ${describe.instant}.`)
      .register(fieldFacts, { label: 'Expires at', kind: 'text' }),
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

/** When a token expires. Null when that is unknown. */
export function endOf({ expiresAt }: Pick<TokenGrant, 'expiresAt'>): Date | null {
  return expiresAt === null ? null : new Date(expiresAt);
}

/** When to renew a token: this time before its expiry, or halfway to it if that is later. Null when the expiry is unknown. */
export function dueBefore(
  { expiresAt, issuedAt }: Pick<TokenGrant, 'expiresAt' | 'issuedAt'>,
  aheadMs: number,
): Date | null {
  if (expiresAt === null) return null;
  const end = Date.parse(expiresAt);
  // Some servers issue tokens for five minutes. Otherwise each of them would be due at once, and renewed without end.
  const halfLifeMs = issuedAt === undefined ? Infinity : (end - Date.parse(issuedAt)) / 2;
  return new Date(end - Math.min(aheadMs, halfLifeMs));
}
