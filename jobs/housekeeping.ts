/** housekeeping: encrypts logins again after a key rotation, and keeps the database, the images, the deliveries, the sign-ins, the audit, the samples of the health and what agents hold tidy. Safe to run side by side. */
import { tidyAudit } from '../services/audit/tidy-audit.ts';
import { closeConnectSessions } from '../services/connect/close-connect-sessions.ts';
import type { Context } from '../services/context.ts';
import { resealLogins } from '../services/credentials/reseal-logins.ts';
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
    const resealed = await resealLogins(context);
    if (resealed > 0) context.log.info({ logins: resealed }, 'logins were encrypted again under the first key');
    return resealed;
  },
};
