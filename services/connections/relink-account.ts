/**
 * Replaces the credential of an account that is already linked. The connection keeps its id, slug and queue, and no
 * event is emitted.
 */
import { type FilterQuery, LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import type { AnyPlatform, ConnectedAccount } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { credentialColumns } from './credential-columns.ts';

/** In the caller's transaction. @returns null when the account has no such connection */
export async function relinkAccount(
  em: SqlEntityManager,
  context: Context,
  { platform, account }: { readonly platform: AnyPlatform; readonly account: ConnectedAccount<unknown> },
  place: FilterQuery<Connection> & { readonly accountId: string; readonly profileId: string | null },
): Promise<Connection | null> {
  const { platformAccountId } = account;
  const same = { ...Object(place), platformId: platform.id, platformAccountId, deletedAt: null };
  const connection: Connection | null = await em.findOne(Connection, same, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (connection === null) return null;
  return replaceCredential(em, context, connection, { platform, account });
}

/** Stores a credential in a connection that the caller has locked, in the caller's transaction. */
export async function replaceCredential(
  em: SqlEntityManager,
  context: Context,
  connection: Connection,
  { platform, account }: { readonly platform: AnyPlatform; readonly account: ConnectedAccount<unknown> },
): Promise<Connection> {
  const { followsAccountId, handle, credential, limits } = account;
  const columns = credentialColumns(context, platform, connection.id, credential);
  Object.assign(connection, {
    followsAccountId: followsAccountId ?? null,
    handle,
    limits: limits ?? null,
    ...columns,
  });
  await em.flush();
  return connection;
}
