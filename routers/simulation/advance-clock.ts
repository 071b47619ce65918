/**
 * POST /simulation/clock: advances the manual clock and runs what becomes due meanwhile
 * (docs/contract/running.md#manual-clock).
 */
import { z } from 'zod';
import { simulationOf } from '../../services/simulation/simulation.ts';
import { timestamp } from '../../services/timestamp.ts';
import { timestampOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

/** Furthest that one call may advance the clock: 400 days. */
const ADVANCE_MAX_SECONDS = 34_560_000;

const Input = z.strictObject({
  advanceSeconds: z
    .number()
    .min(0)
    .max(ADVANCE_MAX_SECONDS)
    .describe('How many seconds to move time on, at most 400 days.'),
});
const Output = z.strictObject({
  now: timestampOutput('The instant that was reached.'),
  ran: z.int().describe('How many sends and other pieces of work ran on the way.'),
});

export const advanceClock = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/simulation/clock',
      tags: ['Simulation'],
      summary: 'Move the manual clock on',
      description:
        'Moves time on and runs, in due order, everything that falls due on the way. Only on an install started with CLOCK=manual.',
    },
    access: 'account',
    scope: null,
    errors: ['invalid_request', 'forbidden', 'not_found'],
    tool: { none: 'Time is moved by test harnesses, not by agents.' },
    bucket: 'none',
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input }) => {
    const ran = await simulationOf(ctx.services).advance(input.advanceSeconds);
    return { now: timestamp(ctx.services.clock.now()), ran };
  });
