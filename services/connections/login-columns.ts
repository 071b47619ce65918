/** The columns of a connection that hold its login: what is written wherever an account is linked, or linked again. */
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';

/** A working login, and no trace of one before it. */
export function loginColumns(context: Context, platform: AnyPlatform, connectionId: string, credential: unknown) {
  return {
    credentials: context.vault.seal(credential, connectionId),
    // Without the lease, a renewal of the old login that is under way can no longer be stored over this one.
    renewalLeaseUntil: null,
    renewAt: renewAt(context, platform, credential),
    reconnectSince: null,
    reconnectReason: null,
    reconnectToldBy: null,
  };
}

/** From when on a login is renewed ahead of its end; null when it has none, or cannot be renewed. */
export function renewAt(context: Context, { renewal }: AnyPlatform, credential: unknown): Date | null {
  if (renewal === undefined || !renewal.canRenew(credential, context.config.apps)) return null;
  return renewal.dueAt(credential);
}
