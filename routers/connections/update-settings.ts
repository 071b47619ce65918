/** PATCH /connections/{connectionId}/settings: label, slug and AI polish of a connection (docs/contract/profiles-and-keys.md#account). */
import { z } from 'zod';
import { REWRITE_MODES } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { updateSettings as update } from '../../services/connections/update-settings.ts';
import { uuidInput, uuidOutput } from '../schemas/common.ts';
import { ConnectionDescription, Slug } from '../schemas/connection.ts';
import { keyedProcedure } from '../procedures.ts';

const RewriteMode = z.enum(REWRITE_MODES);

const Input = z.strictObject({
  connectionId: uuidInput('Id of the connection.'),
  description: ConnectionDescription.optional().describe('Label for people, 1 to 200 characters.'),
  slug: Slug.optional().describe(
    'Slug to address the connection by from now on. Stored posts keep the one they were written to.',
  ),
  rewriteMode: RewriteMode.optional().describe(
    'Whether AI polish is asked for on posts that do not say: on, off, or inherit for what the account says.',
  ),
});

const Output = z.strictObject({
  connection: z.strictObject({
    id: uuidOutput('Id of the connection.'),
    slug: z.string().describe('What posts are addressed to.'),
    description: z.string().describe('Label for people.'),
    rewriteMode: RewriteMode.describe('Whether AI polish is asked for on posts that do not say.'),
  }),
});

export const updateSettings = keyedProcedure
  .meta({
    openapi: {
      method: 'PATCH',
      path: '/connections/{connectionId}/settings',
      tags: ['Connections'],
      summary: 'Change the settings of a connection',
      description: 'Changes the label, the slug or the AI polish of a connection; only what is sent.',
    },
    access: 'account',
    scope: 'connections:write',
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found', 'connection_conflict'],
    tool: {
      name: 'update_connection',
      toolset: 'connections',
      title: 'Change a connection',
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(async ({ ctx, input: { connectionId, ...changes } }) => {
    if (Object.keys(changes).length === 0) {
      throw new ServiceError('invalid_request', 'body: name at least one of description, slug, rewriteMode.');
    }
    return { connection: await update(ctx.services, ctx.caller, connectionId, changes) };
  });
