/** people.listScopes: what a key or an agent can be limited to, for forms. */
import { z } from 'zod';
import { type Scope, SCOPES } from '../../services/access/scopes.ts';
import { ownerProcedure } from '../procedures.ts';
import { KeyScopes } from '../schemas/key.ts';

const ScopeInfo = z.strictObject({ name: KeyScopes.element, description: z.string() });

export const listScopes = ownerProcedure
  .input(z.strictObject({}))
  .output(z.strictObject({ scopes: z.array(ScopeInfo) }))
  .query(() => ({
    scopes: (Object.keys(SCOPES) as Scope[]).map((name) => ({ name, description: SCOPES[name] })),
  }));
