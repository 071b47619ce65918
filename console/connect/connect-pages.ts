/**
 * /connect/...: the hosted page on which a customer links an account to a profile
 * (docs/contract/connections.md#the-hosted-page). Forms and redirects; no scripts.
 */
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { validate as isUuid } from 'uuid';
import { clientDocument } from '../../services/connect/client-document.ts';
import { findSession, type FoundSession, openLink } from '../../services/connect/find-session.ts';
import { finishOauth } from '../../services/connect/finish-oauth.ts';
import type { Context } from '../../services/context.ts';
import { fieldsOf } from '../form-fields.ts';
import { formBody } from '../form-body.ts';
import { setSecretCookie, secretsOf } from './browser-cookie.ts';
import { noticeView } from './connect-views.ts';
import { sendConnectPage } from './send-connect-page.ts';
import { sendEnd, showOutcome, showStep, handleStep } from './session-steps.ts';

/** Maximum bytes of a form; the longest credential is far shorter. */
const FORM_MAX = '20kb';

/** Message for a link or page without a session. */
const NOTICES = {
  unknown: [404, 'Nothing here', 'This link does not work in this browser. Request a new one where you got it.'],
  used: [410, 'Used already', 'This link works once and was already opened. Request a new one where you got it.'],
  withdrawn: [410, 'Withdrawn', 'This link was withdrawn. Request a new one where you got it.'],
  expired: [410, 'Too late', 'This link was valid for fifteen minutes. Request a new one where you got it.'],
} as const;

/** Mounted at /connect. */
export function connectPages(context: Context): Router {
  const router = Router();
  router.use(secretive, lookOnly);
  router.get('/session/:sessionId', async (request, response) => {
    const found = await sessionOf(context, request.params.sessionId, request);
    if (found.kind !== 'open') return sendNoSession(context, response, found);
    const { platform } = request.query;
    await showStep(context, response, found.session, typeof platform === 'string' ? platform : undefined);
  });
  router.post('/session/:sessionId/:step', ownPagesOnly, ownForm(context));
  router.post('/session/:sessionId/:step', async (request, response) => {
    const { sessionId, step } = request.params;
    const found = await sessionOf(context, sessionId, request);
    // A second press, or a retry after a lost response, gets the same result.
    if (found.kind === 'over') return sendEnd(context, response, found.session);
    if (found.kind !== 'open') return sendNoSession(context, response, found);
    await handleStep(context, response, found.session, step, fieldsOf(request.body));
  });
  router.get('/callback/:platformId', home(context), comeBack(context));
  router.get('/client/:platformId', async (request, response, next) => {
    const document = await clientDocument(context, request.params.platformId);
    if (document === null) return next();
    response.setHeader('cache-control', 'public, max-age=600');
    response.json(document);
  });
  router.get('/:token', async (request, response) => {
    const found = await openLink(context, request.params.token, secretsOf(context, request));
    if (found.kind !== 'open') return sendNoSession(context, response, found);
    if (found.secret !== null) setSecretCookie(context, response, found.session, found.secret);
    await showStep(context, response, found.session, undefined);
  });
  router.use(failed(context));
  return router;
}

/** Responses are for one browser and must not be cached. */
const secretive: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  next();
};

/** Only a person's click opens a link: link checkers (HEAD) and prefetching browsers do not. */
const lookOnly: RequestHandler = (request, response, next) => {
  if (request.method === 'HEAD') return void response.status(200).type('html').end();
  if (/\bprefetch\b/.test(String(request.headers['sec-purpose'] ?? request.headers['purpose'] ?? ''))) {
    return void response.status(503).end();
  }
  next();
};

/** Other sites' forms do not send the cookie; this also refuses forms of other hosts on the same site. */
const ownPagesOnly: RequestHandler = (request, response, next) => {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return next();
  response.status(403).type('text/plain').send('Forms from other sites are not accepted.\n');
};

/** Reads a form only from the browser that has the session open. */
function ownForm(context: Context): RequestHandler<{ sessionId: string }> {
  const form = formBody(FORM_MAX);
  return async (request, response, next) => {
    const found = await sessionOf(context, request.params.sessionId, request as Request);
    if (found.kind !== 'open') return next();
    form(request as Request, response, next);
  };
}

/**
 * Some platforms redirect to the loopback address although the install is used under its name, which alone has the
 * cookie.
 */
function home(context: Context): RequestHandler {
  const { hostname, port } = new URL(context.config.publicUrl);
  const address = `127.0.0.1${port === '' ? '' : `:${port}`}`;
  return (request, response, next) => {
    if (hostname !== 'localhost' || request.headers.host !== address) return next();
    response.redirect(303, context.config.publicUrl + request.originalUrl);
  };
}

function comeBack(context: Context): RequestHandler<{ platformId: string }> {
  return async (request, response) => {
    const answer = new URL(request.originalUrl, context.config.publicUrl).searchParams;
    const sessionId = (answer.get('state') ?? '').split('.', 1)[0] ?? '';
    const found = await sessionOf(context, sessionId, request);
    if (found.kind === 'over') return sendEnd(context, response, found.session);
    if (found.kind !== 'open') return sendNoSession(context, response, found);
    const { session } = found;
    const outcome = await finishOauth(context, session, request.params.platformId, answer);
    if (outcome !== null) return showOutcome(context, response, session, outcome);
    const sentence = 'This answer belongs to another attempt or was already used.';
    const link = { to: `/connect/session/${session.id}`, text: 'Go on with this one' };
    const main = noticeView('Not this one', sentence, link);
    sendConnectPage(context, response, { status: 400, title: 'Not this one', main, session });
  };
}

async function sessionOf(context: Context, id: string, request: Request): Promise<FoundSession> {
  return isUuid(id) ? findSession(context, id.toLowerCase(), secretsOf(context, request)) : { kind: 'unknown' };
}

async function sendNoSession(
  context: Context,
  response: Response,
  found: Exclude<FoundSession, { kind: 'open' }>,
): Promise<void> {
  if (found.kind === 'over') return sendEnd(context, response, found.session, 'page');
  const [status, title, sentence] = NOTICES[found.kind];
  sendConnectPage(context, response, { status, title, main: noticeView(title, sentence), session: null });
}

/** Customers read pages, so failures are pages too. */
function failed(context: Context): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const said = (thrown as { status?: unknown }).status;
    const status = typeof said === 'number' && said >= 400 && said < 500 ? said : 500;
    if (status === 500) {
      context.log.error({ reqId: response.locals['requestId'] as unknown, err: thrown as unknown }, 'a request failed');
    }
    const main = noticeView('That did not work', 'Something failed on our side. Go back and try again.');
    sendConnectPage(context, response, { status, title: 'That did not work', main, session: null });
  };
}
