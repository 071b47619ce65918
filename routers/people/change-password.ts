/** people.changePassword: the calling person chooses a new password; their other browsers are signed out. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { changePassword as change } from '../../services/people/change-password.ts';
import { passwordThrottled, wrongPassword } from '../../services/people/confirm-password.ts';
import { personProcedure } from '../procedures.ts';
import { textInput } from '../schemas/common.ts';
import { OwnPassword } from '../schemas/person.ts';

/** More than the longest password, so that the service says what is wrong with a longer one. */
const NEW_PASSWORD_READ_MAX = 2_048;

export const changePassword = personProcedure
  .input(z.strictObject({ password: OwnPassword, newPassword: textInput(NEW_PASSWORD_READ_MAX) }))
  .output(z.strictObject({ changed: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    const outcome = await change(ctx.services, ctx.person, input, ctx.visit);
    if (outcome.kind === 'unfit') throw new ServiceError('invalid_request', `newPassword: It ${outcome.problem}.`);
    if (outcome.kind === 'refused') throw wrongPassword();
    if (outcome.kind === 'wait') throw passwordThrottled(outcome.seconds);
    return { changed: true } as const;
  });
