/** The credential of a connection, as database rows hold it. */
import type { Tables } from '../../entities/tables.ts';

/** The part of a connection that a session is created from. */
export interface ConnectionCredential {
  readonly id: string;
  readonly platformAccountId: string;
  readonly handle: string;
  /** Encrypted; null when the connection was deleted meanwhile. */
  readonly credentials: string | null;
  /** What the latest call was made with: `credentials`, or what a renewal during the session gave. */
  lastUsed: string | null;
}

/** Columns of `connections`, also when selected together with those of a post. */
export type CredentialRow = Readonly<Pick<Tables['connections'], 'platform_account_id' | 'handle' | 'credentials'>>;

export function connectionCredential(id: string, row: CredentialRow): ConnectionCredential {
  const { platform_account_id: platformAccountId, handle, credentials } = row;
  return { id, platformAccountId, handle, credentials, lastUsed: credentials };
}
