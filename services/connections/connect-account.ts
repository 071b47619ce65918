/**
 * Links an account from credentials that the caller holds (docs/contract/connections.md#linking-with-credentials). The
 * platform checks them first, and nothing is stored unless it accepts them. Emits connection.created. If the account is
 * already linked and may be connected again, only its credential is replaced, and no event is emitted.
 */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ServiceError } from '../../errors/service-error.ts';
import type { AnyPlatform, ConnectedAccount } from '../../platforms/contract.ts';
import { PLATFORM_IDS, platformOf, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { holdProfile } from '../access/hold-profile.ts';
import { noProfile, profileExists } from '../access/profile-exists.ts';
import { addConnection } from './add-connection.ts';
import { checkCredentials } from './check-credentials.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { relinkAccount } from './relink-account.ts';

export interface ConnectInput {
  readonly platformId: string;
  readonly credentials: unknown;
  readonly slug?: string | undefined;
  readonly description?: string | undefined;
  readonly profileId?: string | undefined;
}

/** How often a derived slug is derived again when another request takes it meanwhile. */
export const SLUG_TRIES = 5;

/**
 * @param em its transaction, if it has one, stores the rows
 * @throws ServiceError invalid_request (unknown platform, malformed credentials), forbidden (a test key naming a real
 *   platform), not_found (profile), platform_rejected (credentials refused), platform_unavailable (no answer),
 *   connection_conflict (account or slug already exists)
 */
export async function connectAccount(
  context: Context,
  caller: Caller,
  input: ConnectInput,
  em: SqlEntityManager = context.db.em(),
): Promise<ConnectionView> {
  const platform = allowedPlatform(context, caller, input.platformId);
  const { profileId } = input;
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) throw noProfile(profileId);
  const account = await checkCredentials(context, platform, input.credentials);
  for (let tries = 1; ; tries += 1) {
    try {
      const { slug, description } = input;
      const fresh = { platform, account, profileId: profileId ?? null, slug, description };
      return await em.transactional(async (inner) => {
        // Checked again, because the profile may have been deleted during the platform's check.
        if (profileId !== undefined) await holdProfile(inner, caller, profileId);
        const place = { accountId: caller.accountId, profileId: fresh.profileId, ...relinkable(platform, slug) };
        const relinked = await relinkAccount(inner, context, fresh, place);
        const connection = relinked ?? (await addConnection(inner, context, caller, fresh));
        return connectionView(context, inner, connection);
      });
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const slugTaken = error.message.includes('connections_slug_unique');
      if (slugTaken && input.slug === undefined && tries < SLUG_TRIES) continue;
      // Another request may have linked the account meanwhile, whose credential this one then replaces.
      if (platform.credentialsHoldSettings === true && tries === 1) continue;
      throw slugTaken ? slugConflict(input.slug) : accountConflict(platform, account);
    }
  }
}

/**
 * Which connections of the account may get the new credential. For a working one the request is a mistake, unless it changes
 * settings that only credentials hold. With the slug of another connection, it asks for a second one.
 */
function relinkable({ credentialsHoldSettings }: AnyPlatform, slug: string | undefined): object {
  const broken = { reconnectSince: { $ne: null } };
  if (credentialsHoldSettings !== true) return broken;
  return slug === undefined ? {} : { $or: [broken, { slug }] };
}

function allowedPlatform(context: Context, caller: Caller, platformId: string): AnyPlatform {
  if (!PLATFORM_IDS.some((id) => id === platformId)) {
    const known = PLATFORM_IDS.join(', ');
    throw new ServiceError(
      'invalid_request',
      `platformId: "${platformId}" is not a platform of this install. Available platforms: ${known}.`,
    );
  }
  if (caller.mode === 'test' && platformId !== TEST_PLATFORM) {
    throw new ServiceError(
      'forbidden',
      `A test key connects ${TEST_PLATFORM} only, not ${platformId}. Use a live key.`,
    );
  }
  return platformOf(context.platforms, platformId);
}

function slugConflict(slug: string | undefined): ServiceError {
  return new ServiceError('connection_conflict', `The slug "${slug}" is already taken here; choose another one.`);
}

function accountConflict(platform: AnyPlatform, account: ConnectedAccount<unknown>): ServiceError {
  const message = `The ${platform.name} account ${account.handle} is already connected here; use that connection or delete it first.`;
  return new ServiceError('connection_conflict', message);
}
