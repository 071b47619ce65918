/**
 * A client that no person has agreed to can only cause a consent page. Until a person has seen its name, no answer
 * redirects a browser to an address the client chose; errors go on a page instead (RFC 9700 section 4.11.2).
 */
import type { KoaContextWithOIDC } from 'oidc-provider';
import { oauthErrorPage } from '../../console/oauth/oauth-error-page.ts';
import type { Context } from '../../services/context.ts';
import { isKnownClient } from '../../services/oauth/is-known-client.ts';
import { INTERACTION_PATH } from './provider-configuration.ts';

/** Call it with the answer to a request for consent, before the answer is sent. */
export async function keepUnknownClientsHere(context: Context, ctx: KoaContextWithOIDC): Promise<void> {
  const location = String(ctx.res.getHeader('location') ?? '');
  if (location === '' || location.startsWith(`${INTERACTION_PATH}/`)) return;
  const clientId = ctx.oidc.client?.clientId;
  if (clientId !== undefined && (await isKnownClient(context, clientId))) return;
  ctx.remove('location');
  ctx.status = 400;
  ctx.type = 'html';
  const { policy, text } = oauthErrorPage(refusalIn(location));
  ctx.set('content-security-policy', policy);
  ctx.set('cache-control', 'no-store');
  ctx.body = text;
}

/** The error that the redirect would have carried to the client. */
function refusalIn(location: string): { error: string; error_description?: string } {
  const { search = '', hash = '' } = URL.parse(location) ?? {};
  const said = new URLSearchParams(search === '' ? hash.slice(1) : search);
  const description = said.get('error_description');
  const error = said.get('error') ?? 'invalid_request';
  return { error, ...(description === null ? {} : { error_description: description }) };
}
