/** What the operator of an install sets for Telegram. */
import { server } from '../settings.ts';

const endpoints = {
  TELEGRAM_API_URL: server('https://api.telegram.org', "Server of Telegram's Bot API; it may be self-hosted."),
};

export const settings = { endpoints };

declare module '../settings.ts' {
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
