/** What the operator of an install sets for SMS: the Twilio account that pays for the messages. */
import { z } from 'zod';
import { type AppOf, defineApp, secret, type Setting, server } from '../settings.ts';

/** A phone number, a short code, a name of up to eleven characters, or the id of a messaging service. */
const SENDER = /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}|MG[0-9a-fA-F]{32})$/;

const accountId: Setting<string | undefined> = {
  schema: z
    .string()
    .regex(/^AC[0-9a-fA-F]{32}$/, 'must be AC and 32 hexadecimal digits')
    .optional(),
  type: 'text',
  range: '`AC` and 32 hexadecimal digits',
  meaning: 'Account at Twilio that sends text messages. Unset: there is no SMS.',
};

const sender: Setting<string | undefined> = {
  schema: z.string().regex(SENDER, 'must be a number such as +15550100, a sender’s name or MG…').optional(),
  type: 'text',
  meaning:
    'Sender of text messages: a number such as `+15550100`, a short code, a name of up to 11 characters, or the id of a messaging service (`MG…`). Set together with the two above.',
};

const app = defineApp({
  id: 'twilio',
  registerAt: 'https://console.twilio.com',
  settings: {
    TWILIO_ACCOUNT_SID: accountId,
    TWILIO_AUTH_TOKEN: secret('Auth token of that account.'),
    TWILIO_FROM: sender,
  },
  together: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
  read: ({ TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from }) =>
    accountSid === undefined || authToken === undefined || from === undefined ? null : { accountSid, authToken, from },
});

const endpoints = { TWILIO_API_URL: server('https://api.twilio.com', "Server of Twilio's API.") };

export const settings = { app, endpoints };

/** `from` is a sender number or name, or the id of a messaging service. */
export type TwilioAccount = NonNullable<AppOf<typeof app>>;

declare module '../settings.ts' {
  interface PlatformApps {
    readonly twilio: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
