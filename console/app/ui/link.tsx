/** Links of the console: `Link` to a view, typed by the router; `ServerLink` to a page that the server renders. */
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Link as AriaLink, type LinkProps } from 'react-aria-components/Link';

/**
 * React Aria calls `onClick` after Enter with a made-up event, when the browser has begun to load the address. The click
 * itself is what the router must stop.
 */
function RouterLink({ onClick, ...props }: LinkProps) {
  return <AriaLink {...props} {...(onClick && { onClickCapture: onClick })} />;
}

export const Link = createLink(RouterLink);

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
