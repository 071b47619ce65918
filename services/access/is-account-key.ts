/** Tells the two kinds of keys apart. */
import type { ApiKey } from '../../entities/api-key.ts';

/** Owners, the operator and the first start create account keys; a minted key has a profile. */
export function isAccountKey({ profileId }: Pick<ApiKey, 'profileId'>): boolean {
  return profileId == null;
}
