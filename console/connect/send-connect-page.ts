/** How pages of a connect session are sent: kept by nobody, naming no address to others, with forms that lead where they must. */
import type { Response } from 'express';
import type { HostedPlatform } from '../../services/connect/connectable-platforms.ts';
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
  const pages = leadsTo.flatMap(({ hosted }) =>
    hosted.oauth === undefined
      ? []
      : (hosted.oauth.pageSources(context.config.endpoints) ?? anyServer(context.config.outboundAllow)),
  );
  const targets = session === null ? [] : ["'self'", returnSource(session.redirectUrl), ...pages];
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

/** A policy cannot name an IPv6 address. */
function returnSource(redirectUrl: string): string {
  const { origin, hostname, protocol } = new URL(redirectUrl);
  return hostname.startsWith('[') ? protocol : origin;
}
