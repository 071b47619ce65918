/** people.listSignIns: the browsers in which the calling person is signed in, newest first. */
import { z } from 'zod';
import { listSignIns as readSignIns } from '../../services/people/sign-ins.ts';
import { personProcedure } from '../procedures.ts';
import { timestampOutput, uuidOutput } from '../schemas/common.ts';

const SignIn = z.strictObject({
  id: uuidOutput('Id of the sign-in'),
  userAgent: z.string().meta({ description: 'What the browser says it is' }),
  createdAt: timestampOutput('When the person signed in'),
  lastSeenAt: timestampOutput('Last use, to the minute'),
  isCurrent: z.boolean().meta({ description: 'Whether this call comes from it' }),
});

export const listSignIns = personProcedure
  .input(z.strictObject({}))
  .output(z.strictObject({ signIns: z.array(SignIn) }))
  .query(async ({ ctx }) => {
    const signIns = await readSignIns(ctx.services, ctx.person);
    return {
      signIns: signIns.map(({ id, userAgent, createdAt, lastSeenAt }) => ({
        id,
        userAgent,
        createdAt: createdAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
        isCurrent: id === ctx.person.signInId,
      })),
    };
  });
