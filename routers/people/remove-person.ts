/** people.remove: an owner removes a person from the account. */
import { z } from 'zod';
import { removePerson as remove } from '../../services/people/remove-person.ts';
import { ownerProcedure } from '../procedures.ts';
import { uuidInput } from '../schemas/common.ts';

export const removePerson = ownerProcedure
  .input(z.strictObject({ personId: uuidInput('Id of the person') }))
  .output(z.strictObject({ removed: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.person, input.personId, ctx.visit);
    return { removed: true } as const;
  });
