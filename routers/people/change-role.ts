/** people.changeRole: an owner gives a person another role, from the person's next request on. */
import { z } from 'zod';
import { changeRole as change } from '../../services/people/change-role.ts';
import { ownerProcedure } from '../procedures.ts';
import { uuidInput } from '../schemas/common.ts';
import { OwnPassword, RoleInput } from '../schemas/person.ts';

export const changeRole = ownerProcedure
  .input(z.strictObject({ personId: uuidInput('Id of the person'), role: RoleInput, password: OwnPassword }))
  .output(z.strictObject({ changed: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await change(ctx.services, ctx.person, input, ctx.visit);
    return { changed: true } as const;
  });
