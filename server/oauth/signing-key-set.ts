/** The signing keys as this process knows them, read again when they may have changed. */
import type { Context } from '../../services/context.ts';
import { readSigningKeys, type SigningKey } from '../../services/oauth/signing-keys.ts';

export interface SigningKeySet {
  /** Reads them from the database; the same array as before when nothing has changed. */
  latest(): Promise<readonly SigningKey[]>;
  /**
   * The keys as last read, and read again once when none has this id, because another process may have created a new
   * one.
   */
  with(kid: string): Promise<readonly SigningKey[]>;
}

export function createSigningKeySet(context: Context): SigningKeySet {
  let known: readonly SigningKey[] = [];
  const latest = async () => {
    const read = await readSigningKeys(context);
    const names = (keys: readonly SigningKey[]) => keys.map(({ kid }) => kid).join(' ');
    if (names(read) !== names(known)) known = read;
    return known;
  };
  return { latest, with: async (kid) => (known.some((key) => key.kid === kid) ? known : latest()) };
}
