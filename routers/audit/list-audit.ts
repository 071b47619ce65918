/** GET /audit: the requested changes, who requested each, and its outcome. */
import { z } from 'zod';
import { ServiceError } from '../../errors/service-error.ts';
import { ACTOR_KINDS } from '../../entities/audit-entry.ts';
import { ERROR_CODES } from '../../errors/codes.ts';
import { listAudit as list } from '../../services/audit/list-audit.ts';
import { AuditEntry } from '../schemas/audit.ts';
import { cursorInput, instantInput, pageOutput, pagination, storableText, uuidInput } from '../schemas/common.ts';
import { startOf } from '../schemas/moment.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  actorKind: z.enum(ACTOR_KINDS).optional().describe('Gives only what such an actor asked for.'),
  actorId: storableText(z.string().min(1).max(2_000))
    .optional()
    .describe('Gives only what this actor asked for, e.g. one key.'),
  operation: storableText(z.string().min(1).max(100))
    .optional()
    .describe('Gives only this operation, e.g. posts.create.'),
  objectId: uuidInput('Gives only what was about the object with this id.').optional(),
  outcome: z
    .enum(['ok', 'none', ...ERROR_CODES])
    .optional()
    .describe('Gives only what ended so: ok, an error code, or none for what has no outcome.'),
  since: instantInput('Gives only what was asked for from this instant on.').optional(),
  until: instantInput('Gives only what was asked for before this instant.').optional(),
  limit: pagination.limit,
  cursor: cursorInput(),
  startingAfter: uuidInput('The same as cursor, under its older name.').optional(),
});

const Output = z.strictObject({
  entries: z.array(AuditEntry).describe('The entries, newest first.'),
  ...pageOutput(),
});

export const listAudit = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/audit',
      tags: ['Account'],
      summary: 'List the audit',
      description:
        'Lists every change that was asked for, over every surface, newest first: who, what, on which object, and how it ended. Entries are kept for 400 days.',
    },
    access: 'live-account',
    scope: 'account:read',
    errors: ['invalid_request', 'forbidden'],
    tool: { none: 'The owner uses it to review what agents and others did.' },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { cursor, startingAfter = cursor, since, until, ...rest } = input;
    const filter = {
      ...rest,
      since: since === undefined ? undefined : startOf(since),
      until: until === undefined ? undefined : startOf(until),
    };
    if (cursor !== undefined && startingAfter !== cursor) {
      throw new ServiceError('invalid_request', 'cursor: cannot be combined with startingAfter; send one of the two.');
    }
    const { entries, nextCursor } = await list(ctx.services, ctx.caller, { ...filter, startingAfter });
    return { entries, limit: input.limit, nextCursor };
  });
