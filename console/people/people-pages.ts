/**
 * Mounts the pages on which owners set up an account, sign in and manage it (docs/contract/agents.md#people). All
 * work without scripts.
 */
import express, { type RequestHandler, Router } from 'express';
import type { Context } from '../../services/context.ts';
import { showActivity } from './activity-page.ts';
import { ownerForm } from './owner-form.ts';
import { showKeys, takeKeyRevocation, takeNewKey } from './keys-page.ts';
import { showOwner, takeEndOfSignIn, takePasswordChange } from './owner-page.ts';
import {
  givePasskeyOptions,
  giveSignInOptions,
  takeEndOfPasskey,
  takeNewPasskey,
  takePasskeySignIn,
} from './passkey-pages.ts';
import { sendFailure } from './send-failure.ts';
import { showSetUp, takeSetUp } from './set-up-page.ts';
import { showSignIn, takeSignIn, takeSignOut } from './sign-in-page.ts';

/** Maximum bytes of a form; the longest password is far shorter. */
const FORM_MAX = '20kb';

/** For users who are not signed in: their forms carry all the data that they need. */
const form = express.urlencoded({ extended: false, limit: FORM_MAX });

/** Mounted at the root. */
export function peoplePages(context: Context): Router {
  const router = Router();
  const ownForm = ownerForm(context, FORM_MAX);
  router.use(['/set-up', '/sign-in', '/sign-out', '/owner'], secretive);
  router.get('/set-up/:secret', showSetUp(context));
  router.post('/set-up/:secret', form, takeSetUp(context));
  router.get('/sign-in', showSignIn(context));
  router.post('/sign-in', form, takeSignIn(context));
  router.post('/sign-in/passkey/options', form, giveSignInOptions(context));
  router.post('/sign-in/passkey', form, takePasskeySignIn(context));
  router.post('/sign-out', form, takeSignOut(context));
  router.get('/owner', showOwner(context));
  router.get('/owner/activity', showActivity(context));
  router.get('/owner/keys', showKeys(context));
  router.post('/owner/keys', ownForm, takeNewKey(context));
  router.post('/owner/keys/revoke', ownForm, takeKeyRevocation(context));
  router.post('/owner/password', ownForm, takePasswordChange(context));
  router.post('/owner/sign-ins/end', ownForm, takeEndOfSignIn(context));
  router.post('/owner/passkeys/options', ownForm, givePasskeyOptions(context));
  router.post('/owner/passkeys', ownForm, takeNewPasskey(context));
  router.post('/owner/passkeys/remove', ownForm, takeEndOfPasskey(context));
  router.use(sendFailure(context));
  return router;
}

/** Responses are for one browser and must not be cached. */
const secretive: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  next();
};
