/**
 * Creates a link with which the holder of the account connects an account, with or without a profile, or connects the
 * account of an existing connection again. By default the browser returns to the console.
 */
import { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { noProfile, profileExists } from '../access/profile-exists.ts';
import { noConnection, reachableConnections } from '../connections/reachable-connections.ts';
import {
  type ConnectLink,
  requireAllowedRedirect,
  requireConnectable,
  type SessionFields,
  storeConnectSession,
} from './store-connect-session.ts';

export interface NewConnectLink {
  /** Null or absent for the account's own accounts. */
  readonly profileId?: string | null | undefined;
  readonly platform?: string | undefined;
  /** A connection whose account is connected again; it decides profile and platform. */
  readonly reconnectConnectionId?: string | undefined;
  /** Default: the connections of the console. */
  readonly redirectUrl?: string | undefined;
  readonly headless: boolean;
}

/**
 * @throws ServiceError not_found (profile or connection), invalid_request (platform that cannot be connected here or by
 *   this caller, reconnectConnectionId with platform or profileId, redirectUrl outside the key's allowlist)
 */
export async function createConnectLink(
  context: Context,
  caller: Caller,
  { redirectUrl, headless, ...input }: NewConnectLink,
): Promise<ConnectLink> {
  const place = await readPlace(context, caller, input);
  if (place.platform !== null) requireConnectable(context, caller, place.platform);
  const ownPage = ['connections', ...(place.reconnectConnectionId === undefined ? [] : [place.reconnectConnectionId])];
  const returnUrl = redirectUrl ?? `${context.config.publicUrl}/${ownPage.join('/')}`;
  await requireAllowedRedirect(context, caller, returnUrl);
  return storeConnectSession(context, caller, { ...place, redirectUrl: returnUrl, headless });
}

/** What is connected, and where. */
async function readPlace(
  context: Context,
  caller: Caller,
  { profileId, platform, reconnectConnectionId: id }: Omit<NewConnectLink, 'redirectUrl' | 'headless'>,
): Promise<Omit<SessionFields, 'redirectUrl' | 'headless'>> {
  if (id === undefined) {
    if (profileId != null && !(await profileExists(context, caller, profileId))) throw noProfile(profileId);
    return { profileId: profileId ?? null, platform: platform ?? null };
  }
  if (platform !== undefined || profileId !== undefined) {
    const message = 'reconnectConnectionId: leave out platform and profileId, which the connection decides.';
    throw new ServiceError('invalid_request', message);
  }
  const connection = await context.db.em().findOne(Connection, { ...Object(reachableConnections(caller)), id });
  if (connection === null) throw noConnection(id);
  return {
    profileId: connection.profileId ?? null,
    platform: connection.platformId,
    reconnectConnectionId: id,
  };
}
