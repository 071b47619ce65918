/** people.invite: an owner invites a person by email, with a role. The answer is the only place that has the link. */
import { z } from 'zod';
import { EMAIL_MAX_LENGTH } from '../../services/people/email-address.ts';
import { invitePerson as invite } from '../../services/people/invite-person.ts';
import { ownerProcedure } from '../procedures.ts';
import { textInput } from '../schemas/common.ts';
import { Invitation, invitationAnswer, OwnPassword, RoleInput } from '../schemas/person.ts';

export const invitePerson = ownerProcedure
  .input(z.strictObject({ email: textInput(EMAIL_MAX_LENGTH), role: RoleInput, password: OwnPassword }))
  .output(
    z.strictObject({
      invitation: Invitation,
      url: z.string().meta({ description: 'The link for the person, shown this once' }),
      mail: z.enum(['sent', 'failed', 'off']).meta({ description: 'Whether it was mailed; off without a mail server' }),
    }),
  )
  .mutation(async ({ ctx, input }) => {
    const { invitation, url, mail } = await invite(ctx.services, ctx.person, input, ctx.visit);
    return { invitation: invitationAnswer(invitation), url, mail };
  });
