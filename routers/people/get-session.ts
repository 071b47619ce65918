/** people.session: who the calling person is, and what their role allows. */
import { z } from 'zod';
import { ROLES } from '../../entities/owner.ts';
import { scopeList } from '../../services/access/limits.ts';
import { type Scope, SCOPES } from '../../services/access/scopes.ts';
import { personProcedure } from '../procedures.ts';

export const getSession = personProcedure
  .input(z.strictObject({}))
  .output(
    z.strictObject({
      email: z.string(),
      role: z.enum(ROLES),
      scopes: z
        .array(z.enum(Object.keys(SCOPES) as [Scope, ...Scope[]]))
        .nullable()
        .meta({ description: 'What the role allows; null for everything' }),
    }),
  )
  .query(({ ctx }) => {
    const { email, role } = ctx.person;
    return { email, role, scopes: scopeList(ctx.caller.scopes) };
  });
