/**
 * housekeeping: re-encrypts credentials after a key rotation. Removes expired data: database rows, images, deliveries,
 * sign-ins, audit entries, health samples and OAuth artifacts. Safe to run in parallel.
 */
import { tidyAudit } from '../services/audit/tidy-audit.ts';
import { closeConnectSessions } from '../services/connect/close-connect-sessions.ts';
import type { Context } from '../services/context.ts';
import { reEncryptCredentials } from '../services/credentials/re-encrypt-credentials.ts';
import { tidySamples } from '../services/health/health-samples.ts';
import { tidyPeople } from '../services/people/tidy-people.ts';
import { tidyMedia } from '../services/media/tidy-media.ts';
import { tidyOauth } from '../services/oauth/tidy-oauth.ts';
import { tidyDatabase } from '../services/workers/tidy-database.ts';
import { tidyDeliveries } from '../services/webhooks/tidy-deliveries.ts';
import type { Loop } from './loop.ts';

export const housekeeping: Loop = {
  name: 'housekeeping',
  run: async (context: Context) => {
    await closeConnectSessions(context);
    await tidyDatabase(context);
    await tidyMedia(context);
    await tidyDeliveries(context);
    await tidySamples(context);
    await tidyOauth(context);
    await tidyPeople(context);
    await tidyAudit(context);
    const reEncrypted = await reEncryptCredentials(context);
    if (reEncrypted > 0) context.log.info({ logins: reEncrypted }, 'logins were encrypted again under the first key');
    return reEncrypted;
  },
};
