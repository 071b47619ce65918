/** people.revokeGrant: ends what an agent may do, with the keys and webhooks that it made. Owners end any of the account. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { revokeGrant as revoke } from '../../services/oauth/revoke-grant.ts';
import { personProcedure } from '../procedures.ts';
import { uuidInput, uuidOutput } from '../schemas/common.ts';

export const revokeGrant = personProcedure
  .input(z.strictObject({ grantId: uuidInput('Id of the grant') }))
  .output(z.strictObject({ id: uuidOutput('Id of the grant'), revoked: z.literal(true) }))
  .mutation(async ({ ctx, input: { grantId } }) => {
    const revoked = await revoke(ctx.services, grantId, { ...ctx.person, requestId: ctx.visit.requestId });
    if (!revoked) throw new ServiceError('not_found', `No access that you can revoke has the id ${grantId}.`);
    return { id: grantId, revoked: true as const };
  });
