/**
 * Creates a link with which a customer connects an account to a profile. The link is returned once; only a hash of its
 * token is stored.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { profileExists } from '../access/profile-exists.ts';
import {
  type ConnectLink,
  requireAllowedRedirect,
  requireConnectable,
  storeConnectSession,
} from './store-connect-session.ts';

export interface NewConnectSession {
  readonly profileId: string;
  readonly platform?: string | undefined;
  readonly redirectUrl: string;
  readonly headless: boolean;
}

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
      'This key or access token is limited to another profile and can create connect sessions only for that one.',
    );
  }
  if (!(await profileExists(context, caller, profileId))) {
    throw new ServiceError('not_found', `No profile of yours has the id ${profileId}.`);
  }
  if (platform !== undefined) requireConnectable(context, caller, platform);
  await requireAllowedRedirect(context, caller, redirectUrl);
  return storeConnectSession(context, caller, { profileId, platform: platform ?? null, redirectUrl, headless });
}
