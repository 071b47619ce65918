/** people.list: the people of the account, in the order in which they joined. */
import { z } from 'zod';
import { ROLES } from '../../entities/owner.ts';
import { listPeople as readPeople } from '../../services/people/list-people.ts';
import { personProcedure } from '../procedures.ts';
import { timestampOutput, uuidOutput } from '../schemas/common.ts';

const Person = z.strictObject({
  id: uuidOutput('Id of the person'),
  email: z.string(),
  role: z.enum(ROLES),
  createdAt: timestampOutput('When the person joined'),
  lastSeenAt: timestampOutput('Last use of a signed-in browser; null when none is signed in').nullable(),
  isYou: z.boolean().meta({ description: 'Whether it is the calling person' }),
});

export const listPeople = personProcedure
  .input(z.strictObject({}))
  .output(z.strictObject({ people: z.array(Person) }))
  .query(async ({ ctx }) => {
    const people = await readPeople(ctx.services, ctx.person);
    return {
      people: people.map(({ id, email, role, createdAt, lastSeenAt }) => ({
        id,
        email,
        role,
        createdAt: createdAt.toISOString(),
        lastSeenAt: lastSeenAt?.toISOString() ?? null,
        isYou: id === ctx.person.ownerId,
      })),
    };
  });
