/**
 * housekeeping: re-encrypts credentials after a key rotation. Removes expired data: database rows, images, deliveries,
 * sign-ins, audit entries, health samples and OAuth artifacts. Safe to run in parallel.
 */
import { cleanUpAudit } from '../services/audit/clean-up-audit.ts';
import { closeConnectSessions } from '../services/connect/close-connect-sessions.ts';
import { reEncryptCredentials } from '../services/credentials/re-encrypt-credentials.ts';
import { cleanUpSamples } from '../services/health/health-samples.ts';
import { cleanUpPeople } from '../services/people/clean-up-people.ts';
import { cleanUpMedia } from '../services/media/clean-up-media.ts';
import { cleanUpOauth } from '../services/oauth/clean-up-oauth.ts';
import { cleanUpDatabase } from '../services/workers/clean-up-database.ts';
import { cleanUpDeliveries } from '../services/webhooks/clean-up-deliveries.ts';
import type { Loop } from './loop.ts';

export const housekeeping: Loop = {
  name: 'housekeeping',
  runsAtStart: true,
  run: async (context) => {
    await closeConnectSessions(context);
    await cleanUpDatabase(context);
    await cleanUpMedia(context);
    await cleanUpDeliveries(context);
    await cleanUpSamples(context);
    await cleanUpOauth(context);
    await cleanUpPeople(context);
    await cleanUpAudit(context);
    const reEncrypted = await reEncryptCredentials(context);
    if (reEncrypted > 0) context.log.info({ logins: reEncrypted }, 'logins were encrypted again under the first key');
    return reEncrypted;
  },
};
