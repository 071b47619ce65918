/** Links of the console: `Link` to a view, typed by the router; `ServerLink` to a page that the server renders. */
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Link as AriaLink } from 'react-aria-components/Link';

export const Link = createLink(AriaLink);

/** Leaves the app, within the same install. */
export function ServerLink({ href, className, children }: { href: string; className?: string; children: ReactNode }) {
  return (
    <AriaLink href={href} className={className ?? 'link'}>
      {children}
    </AriaLink>
  );
}

/** Leads to another site, in a new tab that cannot reach this one. */
export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <AriaLink href={href} className="link" target="_blank" rel="noopener noreferrer">
      {children}
    </AriaLink>
  );
}
