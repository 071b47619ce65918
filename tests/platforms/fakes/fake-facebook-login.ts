/** The login part of the Graph API: the dialog, user tokens, and the Pages to which each user may post. */
import { type Consent, createConsent } from './fake-consent.ts';
import { bearer, type WireAnswer, type WireCall } from './wire.ts';

/** A Page in a user's list. */
export interface ManagedPage {
  readonly id: string;
  readonly name: string;
  readonly access_token?: string;
  readonly tasks: readonly string[];
  /** The professional Instagram account of the Page. */
  readonly instagram_business_account?: { readonly id: string; readonly username: string };
}

export interface FacebookLogin {
  /** The consent dialog. */
  readonly consent: Consent;
  /** The Pages to which each user may post, by the user's name. */
  readonly managed: Map<string, readonly ManagedPage[]>;
  /** Answers login requests; undefined for all others. */
  answer(path: string, call: WireCall): WireAnswer | undefined;
}

export function createFacebookLogin(): FacebookLogin {
  const consent = createConsent(',');
  const managed: FacebookLogin['managed'] = new Map();
  /** The user of a token. */
  const tokens = new Map<string, string>();

  function grant(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    const clientId = form.get('client_id') ?? '';
    if (consent.apps.get(clientId)?.clientSecret !== form.get('client_secret')) {
      return refused(1, 'Error validating client secret.');
    }
    if (form.get('grant_type') === 'client_credentials') {
      return { status: 200, json: { access_token: `${clientId}|app`, token_type: 'bearer' } };
    }
    const isExchange = form.get('grant_type') === 'fb_exchange_token';
    const who = isExchange ? tokens.get(form.get('fb_exchange_token') ?? '') : consent.redeem(clientId, form);
    if (who === null || who === undefined) return refused(100, 'This authorization code has been used.');
    const token = `${isExchange ? 'long' : 'short'}-${who}-${tokens.size}`;
    tokens.set(token, who);
    return {
      status: 200,
      json: { access_token: token, token_type: 'bearer', expires_in: isExchange ? 5_184_000 : 3_600 },
    };
  }

  function list(call: WireCall): WireAnswer {
    const token = bearer(call) ?? '';
    const who = tokens.get(token);
    // Page tokens that were requested with a short-lived user token expire.
    if (who === undefined || !token.startsWith('long-')) return refused(190, 'The token belongs to no person.');
    const fields = (call.query.get('fields') ?? '').replace(/\{.*?\}/g, '').split(',');
    const asked = (page: ManagedPage) =>
      Object.fromEntries(Object.entries(page).filter(([name]) => fields.includes(name)));
    const all = managed.get(who) ?? [];
    const start = Number(call.query.get('after') ?? 0);
    const end = Math.min(start + Number(call.query.get('limit') ?? 25), all.length);
    const cursors = { before: String(start), after: String(end) };
    // The last part has cursors too, but no address of a next one.
    const next = `https://graph.facebook.com/v26.0/me/accounts?access_token=${token}&limit=${end - start}&after=${end}`;
    const paging = end < all.length ? { cursors, next } : { cursors };
    return { status: 200, json: { data: all.slice(start, end).map(asked), paging } };
  }

  return {
    consent,
    managed,
    answer: (path, call) => {
      switch (`${call.method} ${path}`) {
        case 'GET /dialog/oauth':
          return consent.authorize(call.query);
        case 'POST /oauth/access_token':
          return grant(call);
        case 'GET /me/accounts':
          return list(call);
        default:
          return undefined;
      }
    },
  };
}

function refused(code: number, message: string): WireAnswer {
  return { status: 400, json: { error: { type: 'OAuthException', code, message, fbtrace_id: 'A1b2C3' } } };
}
