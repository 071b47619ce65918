/** The login of a connection, as rows of the database have it. */

/** The part of a connection that a session is made from. */
export interface ConnectionLogin {
  readonly id: string;
  readonly platformAccountId: string;
  readonly handle: string;
  /** Sealed; null when the connection was deleted meanwhile. */
  readonly credentials: string | null;
}

/** Columns of `connections`, also where they come with those of a post. */
export interface LoginRow {
  readonly platform_account_id: string;
  readonly handle: string;
  readonly credentials: string | null;
}

export function connectionLogin(id: string, row: LoginRow): ConnectionLogin {
  return { id, platformAccountId: row.platform_account_id, handle: row.handle, credentials: row.credentials };
}
