/** Finds the links of a post that need a person, also when they are written to be overlooked. Pure. */
import { addressesIn, domainLinksIn } from '../words/links.ts';

/** The links of the texts to other hosts than these and their subdomains. */
export function linksBeyond(hosts: readonly string[], texts: readonly string[]): string[] {
  const links = texts.map(visible).flatMap((text) => [...addressesIn(text), ...domainLinksIn(text)]);
  const allowed = hosts.map((host) => host.toLowerCase());
  return [...new Set(links)].filter((link) => {
    const host = hostOf(link);
    return host === null || !allowed.some((one) => host === one || host.endsWith(`.${one}`));
  });
}

/** Null for what is no address, which no list can then allow. */
function hostOf(link: string): string | null {
  const address = link.includes('://') ? link : `https://${link}`;
  if (!URL.canParse(address)) return null;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || protocol === 'http:' ? hostname : null;
}

function visible(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '');
}
