/**
 * The operator's endpoints, used by `npm run carillon`. They list accounts and set an account's plan, payment method
 * and spend cap (docs/contract/errors-and-limits.md#plans). They create and revoke its keys
 * (docs/contract/profiles-and-keys.md#account-keys). They create links with which owners choose a password
 * (docs/contract/agents.md#people). They are not part of the public API and require the operator's token.
 */
import { type Request, type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { PLAN_NAMES } from '../entities/account.ts';
import { tables } from '../entities/tables.ts';
import { invalidInput } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isUuid, textInput } from '../routers/schemas/common.ts';
import { SPEND_CAP_MAX_CENTS } from '../routers/schemas/account.ts';
import { operateAccount } from '../services/account/operate-account.ts';
import { readAccount } from '../services/account/read-account.ts';
import type { WithBackups } from '../services/backups/backup-schedule.ts';
import type { Context } from '../services/context.ts';
import { EMAIL_MAX_LENGTH } from '../services/people/email-address.ts';
import { replaceOwnerLinks } from '../services/people/owner-links.ts';
import type { WithRestoreWatch } from '../services/restores/restore-watch.ts';
import { sameSecret } from '../services/secrets.ts';
import { bearerToken } from './bearer-token.ts';
import { isLocalRequest } from './local-request.ts';
import { requestIdOf } from './request-id.ts';
import type { AuthorizationServer } from './oauth/authorization-server.ts';
import { operatorOauth } from './oauth/operator-oauth.ts';
import { operatorDoctor } from './doctor.ts';
import { operatorBackups } from './operator-backups.ts';
import { operatorKeys } from './operator-keys.ts';
import { operatorRestore } from './operator-restore.ts';
import { jsonBody } from './utf8.ts';

/** Largest message cap that can be set, as for MESSAGES_PER_DAY. */
const MESSAGES_MAX = 999_999_999;

const Changes = z
  .strictObject({
    plan: z.enum(PLAN_NAMES).optional(),
    hasPaymentMethod: z.boolean().optional(),
    xSpendCapCents: z.int().min(0).max(SPEND_CAP_MAX_CENTS).nullable().optional(),
    messagesPerDay: z
      .union([z.int().min(0).max(MESSAGES_MAX), z.literal('default')])
      .nullable()
      .optional(),
  })
  .refine(
    (changes) => Object.keys(changes).length > 0,
    'at least one of plan, hasPaymentMethod, xSpendCapCents, messagesPerDay',
  );

/** Whose password the link replaces; without it, that of the owner who joined first. */
const LinkWish = z.strictObject({ email: textInput(EMAIL_MAX_LENGTH).toLowerCase().optional() });

/** Accounts that one answer lists. */
const ACCOUNTS_MAX = 1_000;

export function operatorRouter(
  context: Context & WithRestoreWatch & WithBackups,
  token: string,
  authorizationServer: AuthorizationServer,
): Router {
  const router = Router();
  if (context.config.operator === 'local') router.use(requireThisMachine);
  router.use(requireToken(token));
  router.use('/oauth', operatorOauth(context, authorizationServer));
  router.get('/accounts', async (_request, response) => {
    const rows = await tables(context.db.queries)
      .selectFrom('accounts')
      .select('id')
      .orderBy('id')
      .limit(ACCOUNTS_MAX)
      .execute();
    const accounts = [];
    for (const { id } of rows) accounts.push(await readAccount(context, id));
    response.json({ accounts });
  });
  router.patch('/accounts/:accountId', jsonBody('10kb'), async (request, response) => {
    const accountId = accountIdOf(request);
    const changes = Changes.safeParse(request.body ?? {});
    if (!changes.success) throw invalidInput(changes.error, request.body);
    const account = await operateAccount(context, accountId, changes.data, requestIdOf(response));
    context.log.info({ accountId, changes: changes.data }, 'the operator changed an account');
    response.json({ account });
  });
  router.use('/accounts/:accountId/keys', operatorKeys(context));
  router.use('/restore', operatorRestore(context));
  router.use('/backups', operatorBackups(context));
  router.use('/doctor', operatorDoctor(context));
  router.post('/accounts/:accountId/owner-link', jsonBody('10kb'), async (request, response) => {
    const accountId = accountIdOf(request);
    const wanted = LinkWish.safeParse(request.body ?? {});
    if (!wanted.success) throw invalidInput(wanted.error, request.body);
    const link = { accountId, email: wanted.data.email ?? null, requestId: requestIdOf(response) };
    const { url, expiresAt } = await replaceOwnerLinks(context, link);
    context.log.info({ accountId }, 'the operator made a link for an owner');
    response.setHeader('cache-control', 'no-store');
    response.json({ url, expiresAt: expiresAt.toISOString() });
  });
  return router;
}

function accountIdOf(request: Request): string {
  const accountId = String(request.params['accountId']);
  if (!isUuid(accountId)) throw new ServiceError('invalid_request', 'accountId: expected a UUID.');
  return accountId.toLowerCase();
}

const requireThisMachine: RequestHandler = (request, _response, next) => {
  if (isLocalRequest(request)) return next();
  throw new ServiceError(
    'forbidden',
    "The operator's endpoints answer only requests from this machine without a proxy. Set OPERATOR=anywhere to allow every client that has the token.",
  );
};

function requireToken(token: string): RequestHandler {
  return (request, _response, next) => {
    const presented = bearerToken(request.headers.authorization);
    if (presented !== undefined && sameSecret(presented, token)) return next();
    throw new ServiceError('unauthorized', "The operator's token is missing or wrong.");
  };
}
