/** Gives an adapter the stored credential of a connection, and the only function that replaces it. */
import type { AnyPlatform, Session } from '../../platforms/contract.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { ConnectionLogin } from './connection-login.ts';
import { renewCredential } from './renew-credential.ts';

/** @throws PlatformFailure `reconnect` when no credential is stored or it cannot be decrypted. */
export function openSession(context: Context, platform: AnyPlatform, connection: ConnectionLogin): Session<unknown> {
  const { id, platformAccountId, handle, credentials } = connection;
  if (credentials === null) throw new PlatformFailure('reconnect', 'The connection has no stored login any more.');
  let credential: unknown;
  try {
    credential = context.vault.open(credentials, id);
  } catch (cause) {
    context.log.error({ connectionId: id, err: cause }, 'a stored login cannot be decrypted');
    throw new PlatformFailure('reconnect', 'The stored login cannot be read; connect the account again.', { cause });
  }
  return {
    credential,
    platformAccountId,
    handle,
    renew: (refresh) => renewCredential(context, { connectionId: id, platform, sealed: credentials }, refresh),
  };
}
