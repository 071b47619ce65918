/** Operator endpoints for the posts that are held after a restore: how many there are, and what is done with them. */
import { Router } from 'express';
import { z } from 'zod';
import { invalidInput } from '../errors/error-body.ts';
import type { Context } from '../services/context.ts';
import { decideHold, HOLD_DECISIONS, readHold } from '../services/sending/decide-hold.ts';
import type { WithRestoreWatch } from '../services/restores/restore-watch.ts';
import { jsonBody } from './utf8.ts';

const Decision = z.strictObject({ decision: z.enum(HOLD_DECISIONS) });

/** Mounted at /operator/restore, behind the operator's token. */
export function operatorRestore(context: Context & WithRestoreWatch): Router {
  const router = Router();
  router.get('/', async (_request, response) => {
    response.json(await readHold(context));
  });
  router.post('/', jsonBody('10kb'), async (request, response) => {
    const given = Decision.safeParse(request.body ?? {});
    if (!given.success) throw invalidInput(given.error, request.body);
    const { decision } = given.data;
    const hold = await decideHold(context, decision);
    context.log.info({ decision, ...hold }, 'the operator decided about the posts that are held after a restore');
    response.json(hold);
  });
  return router;
}
