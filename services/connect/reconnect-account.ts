/**
 * Stores the new credential of the connection that a connect session names. The connection keeps its id, profile, slug,
 * queue and posts, and no event is emitted.
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ConnectedAccount } from '../../platforms/contract.ts';
import { isUnderNewId, type LinkedAccount, replaceCredential } from '../connections/relink-account.ts';
import type { Context } from '../context.ts';

/**
 * In the caller's transaction.
 *
 * @returns null when the connection has been deleted or moved to another profile meanwhile
 * @throws ServiceError connection_conflict when the person signed in with another account
 */
export async function reconnectAccount(
  em: SqlEntityManager,
  context: Context,
  linked: LinkedAccount,
  where: { readonly id: string; readonly accountId: string; readonly profileId: string | null },
): Promise<Connection | null> {
  const { platform, account } = linked;
  const existing = { ...where, platformId: platform.id, deletedAt: null };
  const connection = await em.findOne(Connection, existing, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (connection === null) return null;
  const isSame =
    platform.opensAccounts === true ||
    platform.repeatsAccounts === true ||
    connection.platformAccountId === account.platformAccountId;
  if (!isSame && isUnderNewId(context, connection, linked)) {
    await takeNewId(em, connection, account);
  } else if (!isSame) {
    throw new ServiceError(
      'connection_conflict',
      `This connects ${connection.handle} again, and the login belongs to ${account.handle}. Use the login of ${connection.handle}.`,
    );
  }
  return replaceCredential(em, context, connection, linked);
}

/** @throws ServiceError connection_conflict when another connection has the account under its new id */
async function takeNewId(
  em: SqlEntityManager,
  connection: Connection,
  { platformAccountId }: ConnectedAccount<unknown>,
): Promise<void> {
  const { accountId, platformId } = connection;
  const place = { accountId, profileId: connection.profileId ?? null, platformId, platformAccountId, deletedAt: null };
  const other: Connection | null = await em.findOne(Connection, place);
  if (other !== null) {
    const message = `The account of this login is connected already, as ${other.slug}. Use that connection, or delete it first.`;
    throw new ServiceError('connection_conflict', message);
  }
  connection.platformAccountId = platformAccountId;
}
