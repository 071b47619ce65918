/** How a customer links a channel: they choose it on Slack's own page, with the operator's registered app. */
import { z } from 'zod';
import { PlatformFailure, type PlatformApp, type PlatformIo } from '../contract.ts';
import { throwRefusal } from '../failure.ts';
import type { HostedConnect, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { platformWords, withoutPublishing } from '../http.ts';
import { grantedScopes } from '../scopes.ts';
import { callSlack, failure, type SlackCredential } from './api.ts';

/** `incoming-webhook` makes Slack ask for a channel; the webhook's URL is not used. */
const SCOPES = ['chat:write', 'chat:write.public', 'files:write', 'incoming-webhook'];

const Granted = z.object({
  access_token: z.string().min(1),
  /** Present if the app rotates its tokens, which then expire after twelve hours. */
  refresh_token: z.string().optional(),
  incoming_webhook: z.object({ channel: z.string(), channel_id: z.string() }),
});

export const hosted: HostedConnect<SlackCredential> = {
  fields: [],
  oauth: {
    isSetUp: ({ slack }) => slack !== null,
    // Slack redirects people to the URL of their workspace.
    pageSources: ({ SLACK_API_URL }) => [SLACK_API_URL, 'https://*.slack.com'],
    begin,
    finish,
  },
};

async function begin(_typed: Typed, { redirectUri, state }: OauthRequest, io: OauthIo) {
  const url = new URL(`${io.endpoints.SLACK_API_URL}/oauth/v2/authorize`);
  const query = { client_id: appOf(io).clientId, scope: SCOPES.join(','), redirect_uri: redirectUri, state };
  url.search = new URLSearchParams(query).toString();
  return { url: url.href, memo: {} };
}

/**
 * Implemented here because Slack's exchange does not follow OAuth: errors come with HTTP 200, and the token type
 * is `bot`.
 */
function finish(answer: URLSearchParams, { redirectUri }: OauthRequest, _memo: unknown, io: OauthIo) {
  return withoutPublishing(async () => {
    const code = answer.get('code');
    if (code === null) {
      throw new PlatformFailure('rejected', `Slack refused: ${platformWords(answer.get('error') ?? 'no code')}`);
    }
    const { clientId, clientSecret } = appOf(io);
    const form = { code, client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri };
    const exchanged = await callSlack(io, null, 'oauth.v2.access', { form });
    if (!exchanged.isOk) throwRefusal(failure(exchanged));
    const granted = Granted.safeParse(exchanged.body);
    if (!granted.success) throw new PlatformFailure('rejected', 'Slack named no channel; pick one on its page.');
    const { access_token: botToken, refresh_token: refreshToken, incoming_webhook: picked } = granted.data;
    if (refreshToken !== undefined) {
      throw new PlatformFailure('rejected', 'The app at Slack rotates its tokens; its owner has to switch that off.');
    }
    const scopes = grantedScopes(exchanged.body, SCOPES.join(','));
    return [{ label: picked.channel, credentials: { botToken, channelId: picked.channel_id }, scopes }];
  });
}

/** Slack's errors about the code or its page, which it looks at after the app. */
const ABOUT_CODE = new Set(['invalid_code', 'code_already_used', 'bad_redirect_uri']);

/** Exchanges a code that does not exist: Slack names the app's id or secret first when they are wrong. Nothing changes. */
export async function checkApp(io: PlatformIo): Promise<void> {
  const { clientId, clientSecret } = appOf(io);
  const form = { code: 'carillon-checks-the-app', client_id: clientId, client_secret: clientSecret };
  const answer = await callSlack(io, null, 'oauth.v2.access', { form });
  if (!ABOUT_CODE.has(answer.error ?? '')) throw failure(answer);
}

function appOf({ apps }: Pick<PlatformIo, 'apps'>): Required<PlatformApp> & { clientSecret: string } {
  if (apps.slack === null) throw new PlatformFailure('unavailable', 'Slack is not set up on this install any more.');
  const { clientId, clientSecret = '' } = apps.slack;
  return { clientId, clientSecret };
}
