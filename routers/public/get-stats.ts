/** GET /stats: counts of what the install has done. Needs no key. */
import { z } from 'zod';
import { timestampOutput } from '../schemas/common.ts';
import { publicProcedure } from '../procedures.ts';

const Output = z.strictObject({
  postsThisWeek: z.int().describe('Posts that reached a platform in the last seven days.'),
  postsAllTime: z.int().describe('Posts that reached a platform and are still there.'),
  liveConnections: z.int().describe('Connected accounts.'),
  platformsLive: z.array(z.string()).describe('Ids of the platforms that have at least one of them.'),
  time: timestampOutput('When the numbers were counted.'),
});

export const getStats = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/stats',
      tags: ['Public'],
      summary: 'Read the numbers of the install',
      description:
        'Counts posts that reached a platform. The sandbox and what test keys do are left out. The answer is kept for 60 seconds, and the number of posts older than a week for an hour.',
    },
    access: 'public',
    scope: null,
    errors: [],
    tool: { none: 'It counts over all accounts of the install, which is for its front page and not for agents.' },
  })
  .input(z.strictObject({}))
  .output(Output)
  .query(({ ctx }) => ctx.services.stats());
