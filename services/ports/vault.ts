/** Encrypts stored secrets; services/credentials/vault.ts implements it. */

export interface Vault {
  /** Encrypts JSON for the row with this id; the ciphertext cannot be decrypted for another row. */
  seal(value: unknown, rowId: string): string;
  /** Decrypts a result of `seal`. Throws when its key is not configured or the text was altered. */
  open(sealed: string, rowId: string): unknown;
  /** Marks of the keys that this vault can decrypt with; the first one encrypts. */
  readonly keyMarks: readonly string[];
}
