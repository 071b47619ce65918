/**
 * The consent page that the fakes share: the signed-in user consents or declines. A code works once, for its
 * client only.
 */
import { createHash } from 'node:crypto';
import type { WireAnswer } from './wire.ts';

interface ConsentApp {
  readonly clientSecret: string | undefined;
  readonly redirectUri: string;
  readonly scope: string;
}

interface Code {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly who: string;
}

export interface Consent {
  /** Registered apps, by client id. */
  readonly apps: Map<string, ConsentApp>;
  /** User who is signed in at the platform in the customer's browser; null declines. */
  signedIn: string | null;
  /** Answers the browser as the platform does after the user's decision. */
  authorize(query: URLSearchParams): WireAnswer;
  /** The user that the code of a token request belongs to; null when the code is invalid. */
  redeem(clientId: string, form: URLSearchParams): string | null;
}

/** @param separator character between scopes */
export function createConsent(separator: ' ' | ',' = ' '): Consent {
  const codes = new Map<string, Code>();
  const consent: Consent = {
    apps: new Map(),
    signedIn: null,
    authorize: (query) => {
      const clientId = query.get('client_id') ?? '';
      const redirectUri = query.get('redirect_uri') ?? '';
      const app = consent.apps.get(clientId);
      if (app === undefined || app.redirectUri !== redirectUri || query.get('response_type') !== 'code') {
        return { status: 400, text: '<h1>Invalid client</h1>' };
      }
      const allowed = app.scope.split(separator);
      const asked = (query.get('scope') ?? '').split(separator);
      const state = query.get('state') ?? '';
      const back = new URL(redirectUri);
      back.searchParams.set('state', state);
      if (asked.some((scope) => !allowed.includes(scope))) back.searchParams.set('error', 'invalid_scope');
      else if (consent.signedIn === null) back.searchParams.set('error', 'access_denied');
      else {
        const code = `code-${codes.size + 1}`;
        codes.set(code, { clientId, redirectUri, challenge: query.get('code_challenge'), who: consent.signedIn });
        back.searchParams.set('code', code);
      }
      return { status: 302, text: '', headers: { location: back.href } };
    },
    redeem: (clientId, form) => {
      const name = form.get('code') ?? '';
      const code = codes.get(name);
      codes.delete(name);
      if (code?.clientId !== clientId || code.redirectUri !== form.get('redirect_uri')) return null;
      const shown = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      return code.challenge === null || code.challenge === shown ? code.who : null;
    },
  };
  return consent;
}
