/** people.removePasskey: removes a passkey of the calling person. */
import { z } from 'zod';
import { removePasskey as remove } from '../../services/people/passkeys/own-passkeys.ts';
import { personProcedure } from '../procedures.ts';
import { uuidInput } from '../schemas/common.ts';

export const removePasskey = personProcedure
  .input(z.strictObject({ passkeyId: uuidInput('Id of the passkey') }))
  .output(z.strictObject({ removed: z.literal(true) }))
  .mutation(async ({ ctx, input }) => {
    await remove(ctx.services, ctx.person, input.passkeyId, ctx.visit);
    return { removed: true } as const;
  });
