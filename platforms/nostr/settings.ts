/** What the operator of an install sets for Nostr. */
import { server } from '../settings.ts';

const endpoints = {
  NOSTR_MEDIA_URL: server('https://blossom.primal.net', 'Blossom server that stores the images of posts on Nostr.'),
  NOSTR_WEB_URL: server('https://njump.me', 'Site that shows posts of Nostr on the web; permalinks lead there.'),
};

export const settings = { endpoints };

declare module '../settings.ts' {
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
