/** people.withdrawInvitation: an owner ends an open invitation; its link stops working. */
import { z } from 'zod';
import { withdrawInvitation as withdraw } from '../../services/people/invitations.ts';
import { ownerProcedure } from '../procedures.ts';
import { uuidInput } from '../schemas/common.ts';

export const withdrawInvitation = ownerProcedure
  .input(z.strictObject({ invitationId: uuidInput('Id of the invitation') }))
  .output(z.strictObject({ withdrawn: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await withdraw(ctx.services, ctx.person, input.invitationId, ctx.visit);
    return { withdrawn: true } as const;
  });
