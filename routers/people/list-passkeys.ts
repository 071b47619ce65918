/** people.listPasskeys: the passkeys of the calling person, newest first. */
import { z } from 'zod';
import { listPasskeys as readPasskeys } from '../../services/people/passkeys/own-passkeys.ts';
import { relyingParty } from '../../services/people/passkeys/relying-party.ts';
import { personProcedure } from '../procedures.ts';
import { timestampOutput, uuidOutput } from '../schemas/common.ts';

const Passkey = z.strictObject({
  id: uuidOutput('Id of the passkey'),
  createdAt: timestampOutput('When it was added'),
  lastUsedAt: timestampOutput('Last sign-in with it; null before the first').nullable(),
});

export const listPasskeys = personProcedure
  .input(z.strictObject({}))
  .output(
    z.strictObject({
      passkeys: z.array(Passkey),
      isSupported: z.boolean().meta({ description: 'Whether browsers can create passkeys for this install' }),
    }),
  )
  .query(async ({ ctx }) => {
    const passkeys = await readPasskeys(ctx.services, ctx.person);
    return {
      isSupported: relyingParty(ctx.services) !== null,
      passkeys: passkeys.map(({ id, createdAt, lastUsedAt }) => ({
        id,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
    };
  });
