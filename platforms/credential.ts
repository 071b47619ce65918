/** The credential of an account: how adapters create, receive and replace it. */
import type { ImageFacts, TextFacts } from './content-facts.ts';
import type { PlatformIo } from './io.ts';
import type { PlatformApps } from './settings.ts';

/** The stored credential of a connection, and the only way to replace it. */
export interface Session<Credential> {
  readonly credential: Credential;
  /** The account's id on the platform. */
  readonly platformAccountId: string;
  /** The account's handle on the platform. */
  readonly handle: string;
  /**
   * Replaces a credential that the platform no longer accepts. Across all processes, at most one renewal of a
   * connection runs at a time; the other callers get its result. The new credential is stored before it is
   * returned. `signal` is the time limit of the refresh, which is not that of the call that caused it: a refresh that is
   * cut off may lose the only valid refresh token.
   */
  renew(refresh: (stale: Credential, signal: AbortSignal) => Promise<Credential>): Promise<Credential>;
}

/** How to renew a credential before it expires, on platforms where credentials expire. */
export interface CredentialRenewal<Credential> {
  /** Whether the credential contains what a renewal needs, and this install has the app for it. */
  canRenew(credential: Credential, apps: PlatformApps): boolean;
  /** Instant at which the credential is renewed, some time before it expires; null when its expiry is unknown. */
  dueAt(credential: Credential): Date | null;
  /** Instant at which the credential expires unless it is renewed; null when it is unknown. */
  endsAt(credential: Credential): Date | null;
  /**
   * Requests a new credential from the platform.
   *
   * @throws PlatformFailure `reconnect` only when the platform says that this credential is permanently invalid;
   * `unavailable` when a later renewal may succeed
   */
  renew(stale: Credential, io: PlatformIo): Promise<Credential>;
}

/** An account that the platform has just verified. */
export interface ConnectedAccount<Credential> {
  /** The platform's id of the account. Connections with the same id belong to the same account. */
  readonly platformAccountId: string;
  /** Display name of the account, e.g. `alice.example`. Slugs are made from it. */
  readonly handle: string;
  readonly credential: Credential;
  readonly limits?: ConnectionLimits;
  /**
   * Platform id of the account whose credential this one shares. Both move between profiles together. Absent for
   * none.
   */
  readonly followsAccountId?: string;
}

/** Limits that a server of a federated platform sets, stored with the connection. */
export interface ConnectionLimits {
  readonly text?: Partial<TextFacts>;
  readonly images?: Partial<ImageFacts>;
}
