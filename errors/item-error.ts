/** The error of one connection, as a value: the other connections of a request are not affected by it. */
import type { ErrorCode } from './codes.ts';

export interface ItemError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The error in the columns of a row of `posts` or `attempts`; null when there is none. */
export function storedError(row: {
  readonly error_code: string | null;
  readonly error_message: string | null;
}): ItemError | null {
  return row.error_code === null ? null : { code: row.error_code as ErrorCode, message: row.error_message ?? '' };
}
