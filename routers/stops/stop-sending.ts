/** POST /stops: stops everything of an account, a profile, a key or an agent (docs/contract/stops.md). */
import { z } from 'zod';
import { stopSending as stop } from '../../services/stops/stop-sending.ts';
import { storableText, uuidInput } from '../schemas/common.ts';
import { Stop } from '../schemas/stop.ts';
import { keyedProcedure } from '../procedures.ts';

const REASON_MAX = 500;

const Input = z.strictObject({
  profileId: uuidInput('Only what belongs to this profile.').optional(),
  keyId: uuidInput('Only what this API key, and every key under it, has created.').optional(),
  grantId: uuidInput('Only what the agent with this OAuth grant, and every key under it, has created.').optional(),
  reason: storableText(z.string().trim().min(1).max(REASON_MAX))
    .optional()
    .describe('Why, for the errors of what is stopped: 1 to 500 characters.'),
});

export const stopSending = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/stops',
      tags: ['Stops'],
      summary: 'Stop sending',
      description:
        'From now on nothing goes out, of the whole account or of what is named. What is being sent is finished, and scheduled posts are held until the stop is released. A test key stops test keys and agents in test mode only.',
    },
    successStatus: 201,
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found', 'already_stopped'],
    changes: { type: 'stop', answer: 'stop.id' },
    tool: { none: 'A person stops and releases; an agent that is stopped reads why in the error of its call.' },
  })
  .input(Input)
  .output(z.strictObject({ stop: Stop }))
  .mutation(async ({ ctx, input }) => ({ stop: await stop(ctx.services, ctx.caller, input) }));
