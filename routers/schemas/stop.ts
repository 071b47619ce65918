/** A stop on the wire (docs/contract/stops.md). */
import { z } from 'zod';
import { APPROVAL_ACTORS } from '../../entities/approval-actors.ts';
import { STOP_KINDS, STOP_OUTCOMES } from '../../entities/stop.ts';
import { timestampOutput, uuidOutput } from './common.ts';

export const Stop = z
  .strictObject({
    id: uuidOutput('Id of the stop.'),
    kind: z.enum(STOP_KINDS).describe('What is stopped: the account, a profile, an API key, or the grant of an agent.'),
    targetId: uuidOutput('Id of it.'),
    targetName: z.string().nullable().describe('Name of the profile, key or agent; null for the account.'),
    targetEndedAt: timestampOutput(
      'When the profile was deleted, or the key or agent revoked; null otherwise.',
    ).nullable(),
    reason: z.string().nullable().describe('Why, as the person wrote it; null for nothing.'),
    startedAt: timestampOutput('Since when nothing goes out.'),
    startedBy: z.strictObject({
      kind: z.enum(APPROVAL_ACTORS).describe('A key or a person.'),
      id: uuidOutput('Id of it.'),
      name: z.string().describe('Name of the key, or email address of the person.'),
    }),
    held: z.int().describe('Scheduled posts that it holds.'),
    sending: z.int().describe('Posts that were being sent when it began, and still are.'),
    releasedAt: timestampOutput('When it was released; null while it is active.').nullable(),
    outcome: z.enum(STOP_OUTCOMES).nullable().describe('What happened to the held posts; null while it is active.'),
  })
  .meta({ id: 'Stop', description: 'A stop of sending.' });
