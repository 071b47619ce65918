/**
 * Slack on the hosted page: its own page, on which the channel is picked, and an exchange that does not follow OAuth.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { BOT_SCOPES, startFakeSlack } from '../platforms/fakes/fake-slack.ts';

const slack = await startFakeSlack({ now: () => world.clock.now() });
afterAll(() => slack.close());
const world = await startWorld({
  env: { SLACK_CLIENT_ID: 'our-app', SLACK_CLIENT_SECRET: 'our-secret', SLACK_API_URL: slack.url },
});
slack.addChannel('C0BELLS', 'bells');
const PICKED = { incoming_webhook: { channel: '#bells', channel_id: 'C0BELLS' } };

beforeEach(() => {
  slack.granted = PICKED;
  slack.consent.signedIn = 'alice';
  slack.consent.apps.set('our-app', {
    clientSecret: 'our-secret',
    redirectUri: `${PUBLIC_URL}/connect/callback/slack`,
    scope: BOT_SCOPES.join(','),
  });
});

/** Opens a link, agrees on Slack's page, and returns; gives the browser and its next redirect. */
async function agree(link: TestLink): Promise<{ browser: Browser; location: string }> {
  const browser = openBrowser(world);
  const away = await browser.get(link.path);
  const answer = await fetch(away.location ?? '', { redirect: 'manual' });
  const back = await browser.get(answer.headers.get('location') ?? '');
  return { browser, location: back.location ?? '' };
}

describe('a channel', () => {
  it('is connected with the bot that Slack created for it', async () => {
    const link = await makeLink(world, { platform: 'slack' });

    const { location } = await agree(link);

    const [, query] = destination(location);
    expect(query).toMatchObject({ slug: 'slack-bell-ringers-c0bells', platform: 'slack' });
    const id = query['connectionId'] ?? '';
    const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
    expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
      botToken: 'xoxb-alice',
      grantedScopes: ['chat:write', 'chat:write.public', 'files:write', 'incoming-webhook'],
      channelId: 'C0BELLS',
    });
  });

  it('is offered when the link names no platform', async () => {
    const link = await makeLink(world);

    const page = await openBrowser(world).get(link.path);

    expect(page.text).toMatch(/>\s*Slack\s*<\/button>/);
    expect(page.text).not.toMatch(/>\s*(SMS|Email)\s*<\/button>/);
  });
});

describe('a refusal', () => {
  it.each([
    [
      'a wrong app secret',
      () =>
        slack.consent.apps.set('our-app', {
          clientSecret: 'another',
          redirectUri: `${PUBLIC_URL}/connect/callback/slack`,
          scope: BOT_SCOPES.join(','),
        }),
      'Slack refused: bad_client_secret',
    ],
    ['no channel', () => (slack.granted = {}), 'Slack named no channel'],
    [
      'an app that rotates its tokens',
      () => (slack.granted = { ...PICKED, refresh_token: 'xoxe-1' }),
      'rotates its tokens',
    ],
    [
      'a bot that is gone',
      () => (slack.granted = { incoming_webhook: { channel: '#x', channel_id: 'C0BELLS' }, access_token: 'xoxb-dead' }),
      'Slack does not accept this credential: invalid_auth',
    ],
  ])('for %s is shown, with a way to retry', async (_case, arrange, message) => {
    arrange();
    const link = await makeLink(world, { platform: 'slack' });

    const { browser, location } = await agree(link);
    const page = await browser.get(location);

    expect(location).toBe(`/connect/session/${link.sessionId}`);
    expect(page.text).toContain(message);
    expect(page.text).not.toContain('our-secret');
    expect(page.text).toMatch(/>\s*Connect\s*<\/button>/);
  });

  it('on Slack’s page ends the session as cancelled', async () => {
    slack.consent.signedIn = null;
    const link = await makeLink(world, { platform: 'slack' });

    const { location } = await agree(link);

    expect(destination(location)[1]).toMatchObject({ error: 'cancelled' });
  });
});

describe('an install without an app at Slack', () => {
  it('says that Slack cannot be connected over a link', async () => {
    const unconfigured = await startWorld();
    const { id } = await unconfigured.profile();

    const { status, body } = await unconfigured.rest(`POST /profiles/${id}/connect`, {
      body: { redirectUrl: 'https://app.example.com/', platform: 'slack' },
    });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.message).toMatch(/"slack" cannot be connected on this install/);
  });
});
