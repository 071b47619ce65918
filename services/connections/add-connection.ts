/** Adds a checked account as a connection, with its event, in the caller's transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import type { AnyPlatform, ConnectedAccount } from '../../platforms/contract.ts';
import { cutText } from '../../platforms/untrusted.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Caller } from '../access/caller.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { credentialColumns } from './credential-columns.ts';
import { deriveSlug, firstFreeSlug } from './slug.ts';

/** Maximum length of a derived description, in characters; callers have the same limit. */
const DESCRIPTION_MAX = 200;

export interface NewConnection {
  readonly platform: AnyPlatform;
  readonly account: ConnectedAccount<unknown>;
  readonly profileId: string | null;
  /** Derived from platform and handle when omitted. */
  readonly slug?: string | undefined;
  readonly description?: string | undefined;
  /** The connect session that it was created in. */
  readonly connectSessionId?: string;
}

/** The account and mode that a connection is created for. */
export type Owner = Pick<Caller, 'accountId' | 'mode'>;

/** @throws UniqueConstraintViolationException when another transaction takes the slug or the account meanwhile */
export async function addConnection(
  em: SqlEntityManager,
  context: Context,
  owner: Owner,
  { platform, account, profileId, slug, description, connectSessionId }: NewConnection,
): Promise<Connection> {
  const id = context.random.uuid();
  const connection = em.create(Connection, {
    id,
    accountId: owner.accountId,
    profileId,
    platformId: platform.id,
    slug: slug ?? (await freeSlug(em, owner, profileId, deriveSlug(platform.id, account.handle))),
    description: description ?? cutText(`${platform.name}: ${account.handle}`, DESCRIPTION_MAX),
    timezone: 'UTC',
    queueSlots: [],
    platformAccountId: platform.repeatsAccounts === true ? id : account.platformAccountId,
    followsAccountId: account.followsAccountId ?? null,
    handle: account.handle,
    limits: account.limits ?? null,
    ...credentialColumns(context, platform, id, account.credential),
    createdAt: context.clock.now(),
    deletedAt: null,
  });
  await em.flush();
  await storeEvents(em, [connectionEvent(context, owner, 'connection.created', connection, connectSessionId)]);
  return connection;
}

async function freeSlug(em: SqlEntityManager, owner: Owner, profileId: string | null, slug: string): Promise<string> {
  // One derivation at a time in an account: concurrent requests would otherwise keep taking each other's slug.
  await lockAccount(em, owner.accountId);
  const where = { accountId: owner.accountId, profileId, deletedAt: null, slug: { $like: `${slug}%` } };
  const taken = await em.find(Connection, where, { fields: ['slug'] });
  return firstFreeSlug(slug, new Set(taken.map((connection) => connection.slug)));
}
