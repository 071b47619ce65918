/** people.createKey: creates a key that reaches the whole account. Asks for the password, because it outlives the sign-in. */
import { z } from 'zod';
import { passwordThrottled, wrongPassword } from '../../services/people/confirm-password.ts';
import { createOwnerKey } from '../../services/people/create-owner-key.ts';
import { ApprovalRuleInput } from '../schemas/approval.ts';
import { OwnPassword } from '../schemas/person.ts';
import { Key, KeyExpiresAt, KeyName, KeyScopes } from '../schemas/key.ts';
import { ownerProcedure } from '../procedures.ts';

const Input = z.strictObject({
  name: KeyName,
  type: z.enum(['live', 'test']),
  scopes: KeyScopes.optional(),
  approval: ApprovalRuleInput.optional(),
  expiresAt: KeyExpiresAt.optional(),
  password: OwnPassword,
});

export const createKey = ownerProcedure
  .input(Input)
  .output(z.strictObject({ key: Key, secret: z.string() }))
  .mutation(async ({ ctx, input }) => {
    const created = await createOwnerKey(ctx.services, ctx.person, input, ctx.visit);
    if (created.kind === 'made') return { key: created.key, secret: created.secret };
    throw created.kind === 'refused' ? wrongPassword() : passwordThrottled(created.seconds);
  });
