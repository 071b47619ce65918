/**
 * housekeeping: re-encrypts credentials after a key rotation, settles lost deletions, releases images, rotates the key that
 * signs access tokens, and forgets replaced secrets. Safe to run in parallel.
 */
import { reEncryptCredentials } from '../services/credentials/re-encrypt-credentials.ts';
import { cleanUpMedia } from '../services/media/clean-up-media.ts';
import { cleanUpSigningKeys } from '../services/oauth/signing-keys.ts';
import { settleLostDeletions } from '../services/sending/settle-lost-deletions.ts';
import { forgetPreviousSecrets } from '../services/webhooks/forget-previous-secrets.ts';
import type { Loop } from './loop.ts';

export const housekeeping: Loop = {
  name: 'housekeeping',
  runsAtStart: true,
  run: async (context, signal) => {
    await settleLostDeletions(context);
    await cleanUpMedia(context, signal);
    await forgetPreviousSecrets(context);
    await cleanUpSigningKeys(context);
    const reEncrypted = await reEncryptCredentials(context);
    if (reEncrypted > 0) context.log.info({ logins: reEncrypted }, 'logins were encrypted again under the first key');
    return reEncrypted;
  },
};
