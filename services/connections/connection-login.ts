/** The credential of a connection, as database rows hold it. */

/** The part of a connection that a session is created from. */
export interface ConnectionLogin {
  readonly id: string;
  readonly platformAccountId: string;
  readonly handle: string;
  /** Encrypted; null when the connection was deleted meanwhile. */
  readonly credentials: string | null;
}

/** Columns of `connections`, also when selected together with those of a post. */
export interface LoginRow {
  readonly platform_account_id: string;
  readonly handle: string;
  readonly credentials: string | null;
}

export function connectionLogin(id: string, row: LoginRow): ConnectionLogin {
  return { id, platformAccountId: row.platform_account_id, handle: row.handle, credentials: row.credentials };
}
