/** Operations on API keys. */
import { router } from '../procedures.ts';
import { listKeys } from './list-keys.ts';
import { listProfileKeys } from './list-profile-keys.ts';
import { mintKey } from './mint-key.ts';
import { revokeKey } from './revoke-key.ts';
import { revokeProfileKey } from './revoke-profile-key.ts';

export const keysRouter = router({
  mint: mintKey,
  listOfProfile: listProfileKeys,
  revokeOfProfile: revokeProfileKey,
  list: listKeys,
  revoke: revokeKey,
});
