/** The login of an account, as adapters give it, are handed it and replace it. */
import type { ImageFacts, PlatformApps, PlatformIo, TextFacts } from './contract.ts';

/** The stored login of a connection, and the only way to replace it. */
export interface Session<Credential> {
  readonly credential: Credential;
  /** The account's id on the platform. */
  readonly platformAccountId: string;
  /** The account's handle on the platform. */
  readonly handle: string;
  /**
   * Replaces a login that the platform no longer takes. At most one renewal of a connection runs at
   * a time over all processes; whoever loses the race gets the winner's login. The new login is
   * stored before it is returned.
   */
  renew(refresh: (stale: Credential) => Promise<Credential>): Promise<Credential>;
}

/** How a login is replaced before it ends, on platforms where logins end. */
export interface LoginRenewal<Credential> {
  /** Whether the login holds what renewing it takes, and this install has the app for it. */
  canRenew(login: Credential, apps: PlatformApps): boolean;
  /** Instant from which the login is renewed, some time ahead of its end; null when its end is not known. */
  dueAt(login: Credential): Date | null;
  /**
   * Asks the platform for a new login.
   *
   * @throws PlatformFailure `reconnect` only when the platform says that this login is over for good;
   *   `unavailable` when it may yet be renewed
   */
  renew(stale: Credential, io: PlatformIo): Promise<Credential>;
}

/** An account that has just been checked against its platform. */
export interface ConnectedAccount<Credential> {
  /** The platform's own id of the account; two connections with the same one are the same account. */
  readonly platformAccountId: string;
  /** What people call the account, e.g. `alice.example`. Slugs are made from it. */
  readonly handle: string;
  readonly credential: Credential;
  readonly limits?: ConnectionLimits;
  /** Platform's id of the account whose login this one shares, and with which it moves between profiles; absent for none. */
  readonly followsAccountId?: string;
}

/** Limits that one server of a federated platform sets for itself, stored with the connection. */
export interface ConnectionLimits {
  readonly text?: Partial<TextFacts>;
  readonly images?: Partial<ImageFacts>;
}
