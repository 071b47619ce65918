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

/** An account that its platform has accepted. */
export interface LinkedAccount {
  readonly platform: AnyPlatform;
  readonly account: ConnectedAccount<unknown>;
}

/** In the caller's transaction. @returns null when the account has no such connection */
export async function relinkAccount(
  em: SqlEntityManager,
  context: Context,
  linked: LinkedAccount,
  place: FilterQuery<Connection> & { readonly accountId: string; readonly profileId: string | null },
): Promise<Connection | null> {
  const { platformAccountId } = linked.account;
  const there = { ...Object(place), platformId: linked.platform.id, deletedAt: null };
  const sameId: Connection | null = await em.findOne(
    Connection,
    { ...there, platformAccountId },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  const connection = sameId ?? (await brokenUnderNewId(em, context, linked, there));
  if (connection === null) return null;
  return replaceCredential(em, context, connection, linked);
}

/** A connection that must be reconnected, and whose account has the new id by now. Working ones are other connections. */
async function brokenUnderNewId(
  em: SqlEntityManager,
  context: Context,
  linked: LinkedAccount,
  there: object,
): Promise<Connection | null> {
  if (linked.platform.isSameAccount === undefined) return null;
  const broken = { ...Object(there), reconnectSince: { $ne: null } };
  const found: Connection[] = await em.find(Connection, broken, { orderBy: { id: 'asc' } });
  const id = found.find((one) => isUnderNewId(context, one, linked))?.id;
  if (id === undefined) return null;
  // Only this one: a move locks the account before its connections, and adding one locks the account later.
  const connection: Connection | null = await em.findOne(
    Connection,
    { ...broken, id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (connection === null) return null;
  connection.platformAccountId = linked.account.platformAccountId;
  return connection;
}

/** Whether the account is the one of the connection, which its platform has given another id. */
export function isUnderNewId(
  { vault }: Context,
  { id, credentials }: Connection,
  { platform, account }: LinkedAccount,
): boolean {
  if (platform.isSameAccount === undefined || credentials == null) return false;
  try {
    return platform.isSameAccount(vault.open(credentials, id), account);
  } catch {
    // It cannot be decrypted any more, so only the id tells the account.
    return false;
  }
}

/** Stores a credential in a connection that the caller has locked, in the caller's transaction. */
export async function replaceCredential(
  em: SqlEntityManager,
  context: Context,
  connection: Connection,
  { platform, account }: LinkedAccount,
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
