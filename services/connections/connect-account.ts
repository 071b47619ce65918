/**
 * Links an account from credentials the caller holds (D11). The platform is asked first, and nothing
 * is stored unless it accepts them. Emits connection.created.
 */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { Event } from '../../entities/event.ts';
import { invalidInput } from '../../errors/error-body.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { type AnyPlatform, type ConnectedAccount, PlatformFailure } from '../../platforms/contract.ts';
import { PLATFORM_IDS, platformOf, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import type { Caller } from '../keys/caller.ts';
import { lockAccount } from '../plans/standing.ts';
import { platformIo } from '../platform-io.ts';
import { holdProfile } from '../profiles/hold-profile.ts';
import { noProfile, profileExists } from '../profiles/profile-exists.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { deriveSlug, firstFreeSlug } from './slug.ts';

export interface ConnectInput {
  readonly platformId: string;
  readonly credentials: unknown;
  readonly slug?: string | undefined;
  readonly description?: string | undefined;
  readonly profileId?: string | undefined;
}

/** Real time the platform has to check the credentials. */
const CONNECT_TIMEOUT_MS = 30_000;

/** How often a derived slug is derived again when another request takes it meanwhile. */
const SLUG_TRIES = 5;

/**
 * @param em whose transaction, if it has one, is to hold what is stored
 * @throws ServiceError invalid_request (unknown platform, malformed credentials), forbidden (a test key
 *   naming a real platform), not_found (profile), platform_rejected (credentials refused),
 *   platform_unavailable (no answer), connection_conflict (account or slug already there)
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
      return await store(em, context, caller, input, { platform, account });
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const slugTaken = error.message.includes('connections_slug_unique');
      if (slugTaken && input.slug === undefined && tries < SLUG_TRIES) continue;
      throw slugTaken ? slugConflict(input.slug) : accountConflict(platform, account);
    }
  }
}

function allowedPlatform(context: Context, caller: Caller, platformId: string): AnyPlatform {
  if (!PLATFORM_IDS.some((id) => id === platformId)) {
    const known = PLATFORM_IDS.join(', ');
    throw new ServiceError(
      'invalid_request',
      `platformId: "${platformId}" is not a platform of this install; it has ${known}.`,
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

async function checkCredentials(
  context: Context,
  platform: AnyPlatform,
  raw: unknown,
): Promise<ConnectedAccount<unknown>> {
  const parsed = platform.credentials.safeParse(raw);
  if (!parsed.success) {
    throw invalidInput(parsed.error, { credentials: raw }, ['credentials']);
  }
  try {
    return await platform.connectAccount(parsed.data, platformIo(context, CONNECT_TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    const refused = error.kind === 'rejected' || error.kind === 'reconnect';
    // Checking credentials changes nothing on the platform, so a lost answer is an outage like any other.
    throw new ServiceError(refused ? 'platform_rejected' : 'platform_unavailable', error.message, { cause: error });
  }
}

function store(
  outer: SqlEntityManager,
  context: Context,
  caller: Caller,
  input: ConnectInput,
  { platform, account }: { platform: AnyPlatform; account: ConnectedAccount<unknown> },
): Promise<ConnectionView> {
  return outer.transactional(async (em) => {
    const profileId = input.profileId ?? null;
    // Asked again: the profile may have been deleted while the platform was being asked.
    if (profileId !== null) await holdProfile(em, caller, profileId);
    const id = context.random.uuid();
    const connection = em.create(Connection, {
      id,
      accountId: caller.accountId,
      profileId,
      platformId: platform.id,
      slug: input.slug ?? (await freeSlug(em, caller, profileId, deriveSlug(platform.id, account.handle))),
      description: input.description ?? `${platform.name}: ${account.handle}`.slice(0, 200),
      timezone: 'UTC',
      queueSlots: [],
      platformAccountId: account.platformAccountId,
      handle: account.handle,
      limits: account.limits ?? null,
      credentials: context.vault.seal(account.credential, id),
      renewalLeaseUntil: null,
      createdAt: context.clock.now(),
      deletedAt: null,
    });
    em.create(Event, connectionEvent(context, caller, 'connection.created', connection));
    await em.flush();
    return connectionView(connection);
  });
}

async function freeSlug(em: SqlEntityManager, caller: Caller, profileId: string | null, slug: string): Promise<string> {
  // One derivation at a time in an account: many that connect at once would keep taking each other's slug.
  await lockAccount(em, caller.accountId);
  const where = { accountId: caller.accountId, profileId, deletedAt: null, slug: { $like: `${slug}%` } };
  const taken = await em.find(Connection, where, { fields: ['slug'] });
  return firstFreeSlug(slug, new Set(taken.map((connection) => connection.slug)));
}

function slugConflict(slug: string | undefined): ServiceError {
  return new ServiceError('connection_conflict', `The slug "${slug}" is already taken here; choose another one.`);
}

function accountConflict(platform: AnyPlatform, account: ConnectedAccount<unknown>): ServiceError {
  const message = `The ${platform.name} account ${account.handle} is already connected here; use that connection or delete it first.`;
  return new ServiceError('connection_conflict', message);
}
