/**
 * Operator endpoints for the keys of an account: create one, list those without a profile, revoke one
 * (docs/contract/profiles-and-keys.md#account-keys).
 */
import { type Response, Router } from 'express';
import { z } from 'zod';
import { invalidInput } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isUuid } from '../routers/schemas/common.ts';
import { KeyName } from '../routers/schemas/key.ts';
import { operatorChange } from '../services/audit/operator-change.ts';
import type { Context } from '../services/context.ts';
import { createAccountKey, type KeyChange } from '../services/keys/create-account-key.ts';
import { listAccountKeys } from '../services/keys/list-account-keys.ts';
import { revokeAccountKey } from '../services/keys/revoke-account-key.ts';
import { requestIdOf } from './request-id.ts';
import { jsonBody } from './utf8.ts';

const NewKey = z.strictObject({ name: KeyName, type: z.enum(['live', 'test']) });

/** Mounted at /operator/accounts/:accountId/keys, behind the operator's token. */
export function operatorKeys(context: Context): Router {
  const router = Router({ mergeParams: true });
  router.get('/', async (request, response) => {
    response.json({ keys: await listAccountKeys(context, idOf(request.params, 'accountId')) });
  });
  router.post('/', jsonBody('10kb'), async (request, response) => {
    const accountId = idOf(request.params, 'accountId');
    const given = NewKey.safeParse(request.body ?? {});
    if (!given.success) throw invalidInput(given.error, request.body);
    const change = changeOf(accountId, 'keys.create', response);
    const { key, secret } = await createAccountKey(context, { accountId, ...given.data }, change);
    context.log.info({ accountId, keyId: key.id }, 'the operator made an API key');
    response.setHeader('cache-control', 'no-store');
    response.status(201).json({ key, secret });
  });
  router.delete('/:keyId', async (request, response) => {
    const [accountId, keyId] = [idOf(request.params, 'accountId'), idOf(request.params, 'keyId')];
    const includeMinted = booleanOf(request.query, 'includeMinted');
    const change = changeOf(accountId, 'keys.revoke', response);
    await revokeAccountKey(context, accountId, { keyId, includeMinted }, change);
    context.log.info({ accountId, keyId, includeMinted }, 'the operator revoked an API key');
    response.json({ id: keyId, revoked: true });
  });
  return router;
}

function changeOf(accountId: string, operation: string, response: Response): KeyChange {
  return (object) => operatorChange({ accountId, operation, object, requestId: requestIdOf(response) });
}

/** False when it is left out. A misspelled value must not leave minted keys in use. */
function booleanOf(query: Readonly<Record<string, unknown>>, name: string): boolean {
  const { [name]: value = 'false' } = query;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ServiceError('invalid_request', `${name}: expected true or false.`);
}

function idOf(params: Readonly<Record<string, string | string[] | undefined>>, name: string): string {
  const id = String(params[name]);
  if (!isUuid(id)) throw new ServiceError('invalid_request', `${name}: expected a UUID.`);
  return id.toLowerCase();
}
