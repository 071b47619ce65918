/** people.listInvitations: the open invitations of the account, newest first. Their links are not stored. */
import { z } from 'zod';
import { listInvitations as readInvitations } from '../../services/people/invitations.ts';
import { ownerProcedure } from '../procedures.ts';
import { Invitation, invitationAnswer } from '../schemas/person.ts';

export const listInvitations = ownerProcedure
  .input(z.strictObject({}))
  .output(z.strictObject({ invitations: z.array(Invitation) }))
  .query(async ({ ctx }) => {
    const invitations = await readInvitations(ctx.services, ctx.person);
    return { invitations: invitations.map(invitationAnswer) };
  });
