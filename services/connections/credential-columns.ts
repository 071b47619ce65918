/** The columns of a connection that hold its credential; written whenever an account is linked or relinked. */
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';

/** Stores a working credential and clears all state of the previous one. */
export function credentialColumns(context: Context, platform: AnyPlatform, connectionId: string, credential: unknown) {
  return {
    credentials: context.vault.seal(credential, connectionId),
    // Clearing the lease keeps a renewal of the old credential that is in progress from overwriting this one.
    renewalLeaseUntil: null,
    renewAt: renewAt(context, platform, credential),
    credentialEndsAt: endsAt(context, platform, credential),
    reconnectSince: null,
    reconnectReason: null,
    reconnectReportedBy: null,
  };
}

/** When to start renewing a credential before it expires; null when it does not expire or cannot be renewed. */
export function renewAt(context: Context, { renewal }: AnyPlatform, credential: unknown): Date | null {
  if (renewal === undefined || !renewal.canRenew(credential, context.config.apps)) return null;
  return renewal.dueAt(credential);
}

/** When a credential that cannot be renewed ends; null when it is renewed, or its end is unknown. */
export function endsAt(context: Context, { renewal }: AnyPlatform, credential: unknown): Date | null {
  if (renewal === undefined || renewal.canRenew(credential, context.config.apps)) return null;
  return renewal.endsAt(credential);
}
