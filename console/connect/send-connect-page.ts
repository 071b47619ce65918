/** How pages of a connect session are sent: kept by nobody, naming no address to others, with forms that lead where they must. */
import type { Response } from 'express';
import { type HostedPlatform, pageOf } from '../../services/connect/connectable-platforms.ts';
import type { Context } from '../../services/context.ts';
import type { Html } from '../html.ts';
import { policy, renderPage } from '../page.ts';

/** What a page needs to know of its session; null where there is none. */
export interface SessionFrame {
  readonly redirectUrl: string;
  readonly headless: boolean;
}

export interface ConnectPage {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly session: SessionFrame | null;
  /** Platforms whose own page a form on this one may lead to. */
  readonly leadsTo?: readonly HostedPlatform[];
}

export function sendConnectPage(context: Context, response: Response, page: ConnectPage): void {
  const { status, title, main, session, leadsTo = [] } = page;
  const frame = session?.headless === true ? 'none' : 'brand';
  response.status(status);
  response.setHeader('content-security-policy', pagePolicy(context, session, leadsTo));
  response.type('html').send(renderPage({ title, layout: 'connect', frame, main }));
}

/** Browsers hold form-action against the redirects that follow a form too, so where they lead must be listed. */
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

/** Where the customer names the server, its address is not known yet. */
function anyServer(outboundAllow: readonly string[]): string[] {
  return outboundAllow.length === 0 ? ['https:'] : ['https:', 'http:'];
}

/** Where the caller's address leads on to is the caller's to say, and browsers hold that against the form too. */
function returnSources(redirectUrl: string): string[] {
  return redirectUrl.startsWith('https:') ? ['https:'] : ['http://localhost:*', 'https:'];
}
