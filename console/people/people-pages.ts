/**
 * Mounts the pages on which owners set up an account, sign in and manage it (docs/contract/agents.md#people). All
 * work without scripts.
 */
import { type RequestHandler, Router } from 'express';
import type { Context } from '../../services/context.ts';
import { formBody } from '../form-body.ts';
import { showActivity } from './activity-page.ts';
import { ownerForm } from './owner-form.ts';
import { showKeys, handleKeyRevocation, handleKeyCreation } from './keys-page.ts';
import { showOwner, handleSignInEnd, handlePasswordChange } from './owner-page.ts';
import {
  sendPasskeyOptions,
  sendSignInOptions,
  handlePasskeyRemoval,
  handlePasskeyCreation,
  handlePasskeySignIn,
} from './passkey-pages.ts';
import { sendFailure } from './send-failure.ts';
import { showSetUp, handleSetUp } from './set-up-page.ts';
import { showSignIn, handleSignIn, handleSignOut } from './sign-in-page.ts';

/** Maximum bytes of a form; the longest password is far shorter. */
const FORM_MAX = '20kb';

/** For users who are not signed in: their forms carry all the data that they need. */
const form = formBody(FORM_MAX);

/** Mounted at the root. */
export function peoplePages(context: Context): Router {
  const router = Router();
  const ownForm = ownerForm(context, FORM_MAX);
  router.use(['/set-up', '/sign-in', '/sign-out', '/owner'], secretive);
  router.get('/set-up/:secret', showSetUp(context));
  router.post('/set-up/:secret', form, handleSetUp(context));
  router.get('/sign-in', showSignIn(context));
  router.post('/sign-in', form, handleSignIn(context));
  router.post('/sign-in/passkey/options', form, sendSignInOptions(context));
  router.post('/sign-in/passkey', form, handlePasskeySignIn(context));
  router.post('/sign-out', form, handleSignOut(context));
  router.get('/owner', showOwner(context));
  router.get('/owner/activity', showActivity(context));
  router.get('/owner/keys', showKeys(context));
  router.post('/owner/keys', ownForm, handleKeyCreation(context));
  router.post('/owner/keys/revoke', ownForm, handleKeyRevocation(context));
  router.post('/owner/password', ownForm, handlePasswordChange(context));
  router.post('/owner/sign-ins/end', ownForm, handleSignInEnd(context));
  router.post('/owner/passkeys/options', ownForm, sendPasskeyOptions(context));
  router.post('/owner/passkeys', ownForm, handlePasskeyCreation(context));
  router.post('/owner/passkeys/remove', ownForm, handlePasskeyRemoval(context));
  router.use(sendFailure(context));
  return router;
}

/** Responses are for one browser and must not be cached. */
const secretive: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  next();
};
