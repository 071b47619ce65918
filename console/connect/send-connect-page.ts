/** Sends pages of a connect session: not cached, without a referrer, and with restricted form targets. */
import type { Response } from 'express';
import { type HostedPlatform, pageOf } from '../../services/connect/connectable-platforms.ts';
import type { Context } from '../../services/context.ts';
import type { Html } from '../html.ts';
import { policy, renderPage } from '../page.ts';

/** The session data that a page needs; null when there is no session. */
export interface SessionFrame {
  readonly redirectUrl: string;
  readonly headless: boolean;
}

export interface ConnectPage {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly session: SessionFrame | null;
  /** Platforms to whose page a form on this page may redirect. */
  readonly leadsTo?: readonly HostedPlatform[];
}

export function sendConnectPage(context: Context, response: Response, page: ConnectPage): void {
  const { status, title, main, session, leadsTo = [] } = page;
  const frame = session?.headless === true ? 'none' : 'brand';
  response.status(status);
  response.setHeader('content-security-policy', pagePolicy(context, session, leadsTo));
  response.type('html').send(renderPage({ title, layout: 'connect', frame, main }));
}

/** Browsers also apply form-action to the redirects after a form, so the policy must list their targets. */
function pagePolicy(context: Context, session: SessionFrame | null, leadsTo: readonly HostedPlatform[]): string {
  const pages = leadsTo.flatMap((offered) => {
    const page = pageOf(offered);
    if (page === undefined) return [];
    return page.pageSources(context.config.endpoints) ?? anyServer(context.config.outboundAllow);
  });
  const targets = session === null ? [] : ["'self'", ...returnSources(session.redirectUrl), ...pages];
  return policy({
    'style-src': "'self'",
    'img-src': "'self'",
    ...(targets.length > 0 && { 'form-action': [...new Set(targets)].join(' ') }),
  });
}

/** If the customer names the server, its address is not known yet. */
function anyServer(outboundAllow: readonly string[]): string[] {
  return outboundAllow.length === 0 ? ['https:'] : ['https:', 'http:'];
}

/** The caller decides where its return URL redirects, and browsers apply form-action to that redirect too. */
function returnSources(redirectUrl: string): string[] {
  return redirectUrl.startsWith('https:') ? ['https:'] : ['http://localhost:*', 'https:'];
}
