/** people.endSignIn: signs the calling person out of one of their browsers. */
import { z } from 'zod';
import { endOwnSignIn } from '../../services/people/end-own-sign-in.ts';
import { personProcedure } from '../procedures.ts';
import { uuidInput } from '../schemas/common.ts';

export const endSignIn = personProcedure
  .input(z.strictObject({ signInId: uuidInput('Id of the sign-in') }))
  .output(z.strictObject({ ended: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await endOwnSignIn(ctx.services, ctx.person, input.signInId, ctx.visit);
    return { ended: true } as const;
  });
