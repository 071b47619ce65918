/** A link out of the chat. The frame cannot open windows, so the host is asked to. */
import type { Host } from './host.ts';

export interface OutsideLinkProps {
  readonly href: string;
  readonly host: Host;
  readonly children: string;
}

export function OutsideLink({ href, host, children }: OutsideLinkProps) {
  const protocol = URL.parse(href)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:') return <bdi>{href}</bdi>;
  // Words without a link say nothing about where it leads.
  if (!host.read().canOpenLinks) return <code>{href}</code>;
  return (
    <a
      className="link"
      href={href}
      onClick={(event) => {
        event.preventDefault();
        host.openLink(href);
      }}
    >
      {children}
    </a>
  );
}
