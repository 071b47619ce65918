/** GET /approvals: posts that wait for approval, oldest first, or what was decided (docs/contract/approvals.md#reading). */
import { z } from 'zod';
import { APPROVAL_STATES } from '../../entities/approval.ts';
import { listApprovals as list } from '../../services/approvals/list-approvals.ts';
import { ListedApproval } from '../schemas/approval.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  state: z.enum(APPROVAL_STATES).default('pending').describe('State of the requests. Default pending.'),
  ...pageInput('requests'),
});

const Output = z.strictObject({
  approvals: z.array(ListedApproval).describe('The requests, oldest first.'),
  ...pageOutput(),
  consoleUrl: z.string().describe('Page of the console on which an owner decides; give it to the person.'),
});

export const listApprovals = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/approvals',
      tags: ['Approvals'],
      summary: 'List requests for approval',
      description:
        'Lists posts that wait for a person, oldest first, with what is to go out and who asked. With another state, what was decided.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_approvals',
      toolset: 'approvals',
      title: 'List requests for approval',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    const consoleUrl = `${ctx.services.config.publicUrl}/approvals`;
    return { approvals: items, limit: input.limit, nextCursor, consoleUrl };
  });
