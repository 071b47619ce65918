/**
 * Creates a link with which a customer connects an account to a profile. The link is returned once; only a hash of its
 * token is stored.
 */
import { ApiKey } from '../../entities/api-key.ts';
import { ConnectSession } from '../../entities/connect-session.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { profileExists } from '../profiles/profile-exists.ts';
import { timestamp } from '../timestamp.ts';
import { connectablePlatforms } from './connectable-platforms.ts';
import { hashSecret } from '../secrets.ts';
import { newSecret } from './new-secret.ts';

export interface NewConnectSession {
  readonly profileId: string;
  readonly platform?: string | undefined;
  readonly redirectUrl: string;
  readonly headless: boolean;
}

export interface ConnectLink {
  readonly url: string;
  readonly expiresAt: string;
  readonly connectSessionId: string;
}

/** How long a link is valid (docs/contract/connections.md#states). */
export const SESSION_MS = 15 * 60_000;

/**
 * @throws ServiceError forbidden (a scoped key naming another profile), not_found (profile), invalid_request
 *   (platform that cannot be connected here or with this key, redirectUrl outside the key's allowlist)
 */
export async function createConnectSession(
  context: Context,
  caller: Caller,
  input: NewConnectSession,
): Promise<ConnectLink> {
  const { profileId, platform, redirectUrl, headless } = input;
  if (caller.profileId !== null && caller.profileId !== profileId) {
    throw new ServiceError(
      'forbidden',
      'This key or access token reaches another profile only; it opens connect sessions for that one.',
    );
  }
  if (!(await profileExists(context, caller, profileId))) {
    throw new ServiceError('not_found', `No profile of yours has the id ${profileId}.`);
  }
  if (platform !== undefined) requireConnectable(context, caller, platform);
  await requireAllowed(context, caller, redirectUrl);
  const id = context.random.uuid();
  const token = newSecret(context);
  const createdAt = context.clock.now();
  const expiresAt = new Date(createdAt.getTime() + SESSION_MS);
  await context.db.em().insert(ConnectSession, {
    id,
    accountId: caller.accountId,
    profileId,
    keyId: caller.actor.kind === 'key' ? caller.keyId : null,
    mode: caller.mode,
    platform: platform ?? null,
    redirectUrl,
    headless,
    tokenHash: hashSecret(token),
    createdAt,
    expiresAt,
  });
  const url = `${context.config.publicUrl}/connect/${token}`;
  return { url, expiresAt: timestamp(expiresAt), connectSessionId: id };
}

function requireConnectable(context: Context, caller: Caller, platform: string): void {
  if (caller.mode === 'test' && platform !== TEST_PLATFORM) {
    const message = `platform: a test key connects ${TEST_PLATFORM} only, not "${platform}". Use a live key.`;
    throw new ServiceError('invalid_request', message);
  }
  const known = connectablePlatforms(context, caller.mode).map((offered) => offered.platform.id);
  if (known.includes(platform)) return;
  const message = `platform: "${platform}" cannot be connected on this install; it has ${known.join(', ')}.`;
  throw new ServiceError('invalid_request', message);
}

/** Reads the allowlist only when needed, rather than with the key of every request. */
async function requireAllowed(context: Context, caller: Caller, redirectUrl: string): Promise<void> {
  // Only keys have an allowlist.
  if (caller.actor.kind !== 'key') return;
  const where = { id: caller.keyId, accountId: caller.accountId };
  const key = await context.db.em().findOneOrFail(ApiKey, where, { fields: ['redirectAllowlist'] });
  const allowed = key.redirectAllowlist ?? [];
  const { origin } = new URL(redirectUrl);
  if (allowed.length === 0 || allowed.includes(origin)) return;
  const message = `redirectUrl: this key may send customers to ${allowed.join(', ')} only, not to ${origin}.`;
  throw new ServiceError('invalid_request', message);
}
