/** Gives an adapter the stored credential of a connection, and the only function that replaces it. */
import type { AnyPlatform, Session } from '../../platforms/contract.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { ConnectionCredential } from './connection-credential.ts';
import { renewCredential } from './renew-credential.ts';

/**
 * Time limit of one refresh of an access token, in real time. It is below the lease of the renewal, and does not depend on the call
 * that needs the token.
 */
export const REFRESH_TIMEOUT_MS = 30_000;

/** @throws PlatformFailure `reconnect` when no credential is stored or it cannot be decrypted. */
export function openSession(
  context: Context,
  platform: AnyPlatform,
  connection: ConnectionCredential,
): Session<unknown> {
  const { id, platformAccountId, handle, credentials } = connection;
  if (credentials === null) throw new PlatformFailure('reconnect', 'The connection has no stored credential any more.');
  let credential: unknown;
  try {
    credential = context.vault.open(credentials, id);
  } catch (cause) {
    context.log.error({ connectionId: id, err: cause }, 'a stored credential cannot be decrypted');
    throw new PlatformFailure('reconnect', 'The stored credential cannot be decrypted; connect the account again.', {
      cause,
    });
  }
  return {
    credential,
    platformAccountId,
    handle,
    renew: async (refresh) => {
      const renewable = { connectionId: id, platform, sealed: credentials };
      const renewed = await renewCredential(context, renewable, (stale) =>
        refresh(stale, context.clock.deadline(REFRESH_TIMEOUT_MS)),
      );
      connection.lastUsed = renewed.sealed;
      return renewed.credential;
    },
  };
}
