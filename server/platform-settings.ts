/** The settings of platforms: the apps that the operator has registered with them, and their addresses. */
import { z } from 'zod';
import type {
  DiscordApp,
  LinkedInApp,
  PlatformApp,
  PlatformApps,
  PlatformEndpoints,
  TwilioAccount,
} from '../platforms/settings.ts';

const secret = z.string().min(1).optional();

/** The scopes that an app requests, in OAuth's form: names separated by spaces. */
const scopes = z
  .string()
  .regex(/^[\w.:/-]+( [\w.:/-]+)*$/, 'must be names of scopes with one space between them')
  .transform((value) => value.split(' '));

/** Scheme, host and port. */
export const origin = z.string().transform((value, issue) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    issue.addIssue({ code: 'custom', message: 'must be an origin such as https://example.com, without a path' });
    return z.NEVER;
  }
  return url.origin;
});

/** A phone number, a short code, a name of up to eleven characters, or the id of a messaging service. */
const TWILIO_SENDER = /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}|MG[0-9a-fA-F]{32})$/;

/** In the order of the README's table. */
export const PlatformApplications = z.object({
  X_CLIENT_ID: secret,
  X_CLIENT_SECRET: secret,
  LINKEDIN_CLIENT_ID: secret,
  LINKEDIN_CLIENT_SECRET: secret,
  LINKEDIN_SCOPES: scopes.prefault('openid profile w_member_social'),
  REDDIT_CLIENT_ID: secret,
  REDDIT_CLIENT_SECRET: secret,
  DISCORD_CLIENT_ID: secret,
  DISCORD_CLIENT_SECRET: secret,
  DISCORD_BOT_TOKEN: secret,
  META_CLIENT_ID: secret,
  META_CLIENT_SECRET: secret,
  THREADS_CLIENT_ID: secret,
  THREADS_CLIENT_SECRET: secret,
  SLACK_CLIENT_ID: secret,
  SLACK_CLIENT_SECRET: secret,
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-fA-F]{32}$/, 'must be AC and 32 hexadecimal digits')
    .optional(),
  TWILIO_AUTH_TOKEN: secret,
  TWILIO_FROM: z.string().regex(TWILIO_SENDER, 'must be a number such as +15550100, a sender’s name or MG…').optional(),
});
type Applications = z.infer<typeof PlatformApplications>;

/** In the order of the README's table. */
export const PlatformOrigins = z.object({
  BLUESKY_SERVICE_URL: origin.default('https://bsky.social'),
  BLUESKY_APPVIEW_URL: origin.default('https://public.api.bsky.app'),
  BLUESKY_PLC_URL: origin.default('https://plc.directory'),
  DISCORD_API_URL: origin.default('https://discord.com'),
  LINKEDIN_API_URL: origin.default('https://api.linkedin.com'),
  LINKEDIN_AUTH_URL: origin.default('https://www.linkedin.com'),
  META_GRAPH_URL: origin.default('https://graph.facebook.com'),
  META_AUTH_URL: origin.default('https://www.facebook.com'),
  REDDIT_API_URL: origin.default('https://oauth.reddit.com'),
  REDDIT_AUTH_URL: origin.default('https://www.reddit.com'),
  TELEGRAM_API_URL: origin.default('https://api.telegram.org'),
  THREADS_API_URL: origin.default('https://graph.threads.net'),
  THREADS_AUTH_URL: origin.default('https://threads.net'),
  X_API_URL: origin.default('https://api.x.com'),
  X_AUTH_URL: origin.default('https://x.com'),
  SLACK_API_URL: origin.default('https://slack.com'),
  TWILIO_API_URL: origin.default('https://api.twilio.com'),
});
type Origins = z.infer<typeof PlatformOrigins>;

/** Settings that must be given together. */
export const TOGETHER = [
  ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
  ['REDDIT_CLIENT_ID', 'REDDIT_CLIENT_SECRET'],
  ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET'],
  ['META_CLIENT_ID', 'META_CLIENT_SECRET'],
  ['THREADS_CLIENT_ID', 'THREADS_CLIENT_SECRET'],
  ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'],
  ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
] as const satisfies readonly (readonly (keyof Applications)[])[];

export function platformEndpoints(values: Origins, publicUrl: string): PlatformEndpoints {
  const names = Object.keys(PlatformOrigins.shape) as (keyof Origins)[];
  const origins = Object.fromEntries(names.map((name) => [name, values[name]])) as Origins;
  return Object.freeze({ ...origins, PUBLIC_URL: publicUrl });
}

export function platformApps(values: Applications): PlatformApps {
  const { X_CLIENT_ID: clientId, X_CLIENT_SECRET: clientSecret } = values;
  return Object.freeze({
    x: clientId === undefined ? null : { clientId, clientSecret },
    linkedin: linkedInApp(values),
    reddit: wholeApp(values, 'REDDIT'),
    discord: discordApp(values),
    meta: wholeApp(values, 'META'),
    threads: wholeApp(values, 'THREADS'),
    slack: wholeApp(values, 'SLACK'),
    twilio: twilioAccount(values),
  });
}

/** An app that has a secret; null when there is none. */
function wholeApp(
  values: Applications,
  name: 'LINKEDIN' | 'REDDIT' | 'DISCORD' | 'META' | 'THREADS' | 'SLACK',
): Required<PlatformApp> | null {
  const [clientId, clientSecret] = [values[`${name}_CLIENT_ID`], values[`${name}_CLIENT_SECRET`]];
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
}

function linkedInApp(values: Applications): LinkedInApp | null {
  const app = wholeApp(values, 'LINKEDIN');
  return app === null ? null : { ...app, scopes: values.LINKEDIN_SCOPES };
}

function discordApp(values: Applications): DiscordApp | null {
  const { DISCORD_CLIENT_ID: clientId, DISCORD_CLIENT_SECRET: clientSecret, DISCORD_BOT_TOKEN: botToken } = values;
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret, botToken };
}

function twilioAccount(values: Applications): TwilioAccount | null {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from } = values;
  if (accountSid === undefined || authToken === undefined || from === undefined) return null;
  return { accountSid, authToken, from };
}
