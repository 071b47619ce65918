/** Checks and stores a new connect session. The link is returned once; only a hash of its token is stored. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { ConnectSession } from '../../entities/connect-session.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdOwnProfile, holdProfile } from '../access/hold-profile.ts';
import { timestamp } from '../timestamp.ts';
import { connectablePlatforms } from './connectable-platforms.ts';
import { hashSecret } from '../secrets.ts';
import { newSecret } from './new-secret.ts';

export interface ConnectLink {
  readonly url: string;
  readonly expiresAt: string;
  readonly connectSessionId: string;
}

export interface SessionFields {
  /** Null for the account's own accounts. */
  readonly profileId: string | null;
  /** Null when the person chooses on the page. */
  readonly platform: string | null;
  readonly reconnectConnectionId?: string;
  readonly redirectUrl: string;
  readonly headless: boolean;
}

/** How long a link is valid (docs/contract/connections.md#states). */
export const SESSION_MS = 15 * 60_000;

/**
 * @throws ServiceError not_found when the profile was deleted meanwhile; unauthorized when the key or agent reaches only that profile
 */
export async function storeConnectSession(
  context: Context,
  caller: Caller,
  fields: SessionFields,
): Promise<ConnectLink> {
  const id = context.random.uuid();
  const token = newSecret(context);
  const createdAt = context.clock.now();
  const expiresAt = new Date(createdAt.getTime() + SESSION_MS);
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    // A profile that is deleted ends the sessions that it has then.
    const hold = caller.profileId === null ? holdProfile : holdOwnProfile;
    if (fields.profileId !== null) await hold(em, caller, fields.profileId);
    await em.insert(ConnectSession, {
      id,
      accountId: caller.accountId,
      keyId: caller.actor.kind === 'key' ? caller.keyId : null,
      mode: caller.mode,
      ...fields,
      tokenHash: hashSecret(token),
      createdAt,
      expiresAt,
    });
  });
  const url = `${context.config.publicUrl}/connect/${token}`;
  return { url, expiresAt: timestamp(expiresAt), connectSessionId: id };
}

/** @throws ServiceError invalid_request for a platform that cannot be connected here or by this caller */
export function requireConnectable(context: Context, caller: Caller, platform: string): void {
  if (caller.mode === 'test' && platform !== TEST_PLATFORM) {
    const message = `platform: a test key connects ${TEST_PLATFORM} only, not "${platform}". Use a live key.`;
    throw new ServiceError('invalid_request', message);
  }
  const known = connectablePlatforms(context, caller.mode).map((offered) => offered.platform.id);
  if (known.includes(platform)) return;
  const message = `platform: "${platform}" cannot be connected on this install. Available platforms: ${known.join(', ')}.`;
  throw new ServiceError('invalid_request', message);
}

/**
 * Reads the allowlist only when needed, rather than with the key of every request.
 *
 * @throws ServiceError invalid_request for an address outside the key's allowlist
 */
export async function requireAllowedRedirect(context: Context, caller: Caller, redirectUrl: string): Promise<void> {
  // Only keys have an allowlist.
  if (caller.actor.kind !== 'key') return;
  const where = { id: caller.keyId, accountId: caller.accountId };
  const key = await context.db.em().findOneOrFail(ApiKey, where, { fields: ['redirectAllowlist'] });
  const allowed = key.redirectAllowlist ?? [];
  const { origin } = new URL(redirectUrl);
  if (allowed.length === 0 || allowed.includes(origin)) return;
  const message = `redirectUrl: this key allows redirects only to ${allowed.join(', ')}, not to ${origin}.`;
  throw new ServiceError('invalid_request', message);
}
