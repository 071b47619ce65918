/**
 * PATCH /connections/{connectionId}/queue: slots, zone and pause. Resuming emits post.rescheduled for posts that became
 * overdue.
 */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { updateQueue as update } from '../../services/connections/update-queue.ts';
import { isTimeZone } from '../../services/scheduling/time-zone.ts';
import { timeZoneInput, uuidInput, uuidOutput } from '../schemas/common.ts';
import { QueueSlot } from '../schemas/connection.ts';
import { keyedProcedure } from '../procedures.ts';

/** Most slots of a connection (docs/contract/scheduling.md#queues). */
const SLOTS_MAX = 50;

const SLOT_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

const Slots = z
  .array(
    z.strictObject({
      weekday: z.int().min(0).max(6).describe('Day of the week, 0 (Sunday) to 6.'),
      time: z.string().regex(SLOT_TIME, 'a time HH:MM from 00:00 to 23:59').describe('Local time HH:MM, 24-hour.'),
    }),
  )
  .max(SLOTS_MAX)
  .superRefine((slots, issue) => {
    const seen = new Set<string>();
    for (const [index, { weekday, time }] of slots.entries()) {
      const name = `${weekday} ${time}`;
      if (seen.has(name)) {
        issue.addIssue({ code: 'custom', path: [index], message: `a slot that is not in the list yet (${name} is)` });
      }
      seen.add(name);
    }
  })
  .describe(`The slots of the week, at most ${SLOTS_MAX}, no two the same. They replace the whole list.`);

const Input = z.strictObject({
  connectionId: uuidInput('Id of the connection, as list_connections gives it.'),
  slots: Slots.optional(),
  timezone: timeZoneInput()
    .refine(isTimeZone, 'an IANA time zone such as Europe/Paris')
    .optional()
    .describe('IANA zone in which the slots are read, such as Europe/Paris.'),
  paused: z
    .boolean()
    .optional()
    .describe('true keeps queued posts back; false sends them again, each overdue one at the next free slot.'),
});

const Output = z.strictObject({
  connection: z.strictObject({
    id: uuidOutput('Id of the connection.'),
    slug: z.string().describe('What posts are addressed to.'),
    timezone: z.string().describe('IANA zone in which the slots are read.'),
    queueSlots: z.array(QueueSlot).describe('Slots in the order they were set.'),
    paused: z.boolean().describe('Whether queued posts are kept back.'),
  }),
});

export const updateQueue = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/connections/{connectionId}/queue',
      tags: ['Connections'],
      summary: 'Change a queue',
      description:
        'Sets the slots, the time zone or the pause of a connection’s queue. Only what is sent changes. Posts that are queued already stay at their times.',
    },
    access: 'key',
    scope: 'connections:write',
    errors: ['invalid_request', 'not_found', 'stopped'],
    tool: {
      name: 'update_queue',
      toolset: 'queues',
      title: 'Change a queue',
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input: { connectionId, ...changes } }) => {
    if (Object.keys(changes).length === 0) {
      throw new ServiceError('invalid_request', 'body: name at least one of slots, timezone, paused.');
    }
    return { connection: await update(ctx.services, ctx.caller, connectionId, changes) };
  });
