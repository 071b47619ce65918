/** What the operator of an install sets for Bluesky. */
import { server } from '../settings.ts';

const endpoints = {
  BLUESKY_SERVICE_URL: server(
    'https://bsky.social',
    'Server that Bluesky accounts log in to unless their credentials name another.',
  ),
  BLUESKY_APPVIEW_URL: server(
    'https://public.api.bsky.app',
    'Server from which the metrics of Bluesky posts are read, without credentials.',
  ),
  BLUESKY_PLC_URL: server(
    'https://plc.directory',
    'Directory of the AT Protocol in which the server of an account is looked up.',
  ),
};

export const settings = { endpoints };

declare module '../settings.ts' {
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
