/**
 * people.listGrants: what agents may do for the person, and for an owner all agents of the account; those that were used or
 * allowed last come first.
 */
import { z } from 'zod';
import { APPROVAL_RULES } from '../../entities/approval-actors.ts';
import { listGrants as list } from '../../services/oauth/list-grants.ts';
import { personProcedure } from '../procedures.ts';
import { KeyScopes } from '../schemas/key.ts';
import { cursorInput, nextCursorOutput, timestampOutput, uuidOutput } from '../schemas/common.ts';

const Grant = z.strictObject({
  id: uuidOutput('Id of the grant'),
  clientName: z.string().meta({ description: 'What the agent calls itself' }),
  redirectHost: z.string().meta({ description: 'Host that its answers go to' }),
  scopes: z.array(KeyScopes.element),
  profile: z.strictObject({ id: uuidOutput('Id of the profile'), name: z.string() }).nullable(),
  mode: z.enum(['live', 'test']),
  approval: z.enum(APPROVAL_RULES).meta({ description: 'Whether what it wants to send waits for an owner' }),
  policyId: uuidOutput('Id of its policy').nullable(),
  givenBy: z.string().meta({ description: 'Email of the person who gave it' }),
  isOwn: z.boolean().meta({ description: 'Whether the calling person gave it' }),
  createdAt: timestampOutput('When it was given'),
  lastUsedAt: timestampOutput('Last use, to the minute').nullable(),
});

export const listGrants = personProcedure
  .input(z.strictObject({ cursor: cursorInput() }))
  .output(z.strictObject({ mcpUrl: z.string(), grants: z.array(Grant), nextCursor: nextCursorOutput() }))
  .query(async ({ ctx, input }) => {
    const { items: grants, nextCursor } = await list(ctx.services, ctx.person, input.cursor);
    return {
      mcpUrl: `${ctx.services.config.publicUrl}/mcp`,
      grants: grants.map(({ profileId, profileName, scopes, createdAt, lastUsedAt, ...grant }) => ({
        ...grant,
        scopes: [...scopes],
        profile: profileId === null ? null : { id: profileId, name: profileName ?? '' },
        isOwn: grant.givenBy === ctx.person.email,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
      nextCursor,
    };
  });
