/** people.leave: the calling person leaves the account and is signed out everywhere. */
import { z } from 'zod';
import { leaveAccount as leave } from '../../services/people/remove-person.ts';
import { personProcedure } from '../procedures.ts';

export const leaveAccount = personProcedure
  .input(z.strictObject({}))
  .output(z.strictObject({ left: z.literal(true) }))
  .mutation(async ({ ctx }) => {
    await leave(ctx.services, ctx.person, ctx.visit);
    return { left: true } as const;
  });
