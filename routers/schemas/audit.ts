/** The audit on the wire. */
import { z } from 'zod';
import { ACTOR_KINDS, SURFACES } from '../../entities/audit-entry.ts';
import { timestampOutput, uuidOutput } from './common.ts';

const Actor = z.strictObject({
  kind: z.enum(ACTOR_KINDS).describe('customer is who was given a connect link; operator is who runs the install.'),
  id: z.string().describe('Id of the key, client, person or connect session.'),
  name: z.string().describe('Its name at that time; of a customer, the name of the profile.'),
});

const ChangedObject = z.strictObject({
  type: z.string().describe('What kind of thing, e.g. post or connection.'),
  ids: z.array(uuidOutput('Id of one.')).describe('Ids, at most 100.'),
});

export const AuditEntry = z
  .strictObject({
    id: uuidOutput('Id of the entry.'),
    at: timestampOutput('When it was asked for.'),
    actor: Actor.describe('Who asked.'),
    surface: z.enum(SURFACES).describe('The way it came.'),
    operation: z.string().describe('What was asked for, e.g. posts.create.'),
    object: ChangedObject.nullable().describe('What it was about; null when nothing was named or made.'),
    outcome: z
      .string()
      .nullable()
      .describe('ok, or the error code of the answer; null while it is in progress or the outcome is unknown.'),
    mode: z.enum(['live', 'test']).describe('Mode of the key behind it.'),
    profileId: uuidOutput('Profile that the actor is limited to or that the request named.').nullable(),
    requestId: z.string().nullable().describe('Id of the request, as its answer carried it; null on the connect page.'),
  })
  .meta({ id: 'AuditEntry', description: 'One change that somebody asked for.' });
