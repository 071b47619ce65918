/**
 * Discord on the hosted page: a webhook URL always; with an app, Discord's own page, which creates a webhook or adds
 * the bot.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { plain } from '../harness/images.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { startFakeDiscord } from '../platforms/fakes/fake-discord.ts';

const discord = await startFakeDiscord({ now: () => plainWorld.clock.now() });
afterAll(() => discord.close());
const API = { DISCORD_API_URL: discord.url };
const APP = { DISCORD_CLIENT_ID: 'our-app', DISCORD_CLIENT_SECRET: 'our-secret_with-signs' };
const plainWorld = await startWorld({ env: API });
const appWorld = await startWorld({ env: { ...API, ...APP } });
const botWorld = await startWorld({ env: { ...API, ...APP, DISCORD_BOT_TOKEN: 'token-of-the-bot' } });

const BUTTON = 'Choose a channel on Discord';
const NEWS = { id: '701', guildId: '800', name: 'news', type: 5, position: 2 };
const GENERAL = { id: '702', guildId: '800', name: 'general', type: 0, position: 1 };
const VOICE = { id: '703', guildId: '800', name: 'voice', type: 2, position: 0 };
const ELSEWHERE = { id: '704', guildId: '801', name: 'elsewhere', type: 0, position: 0 };

function allow(scope: string): void {
  const redirectUri = `${PUBLIC_URL}/connect/callback/discord`;
  discord.consent.apps.set('our-app', { clientSecret: APP.DISCORD_CLIENT_SECRET, redirectUri, scope });
}

beforeEach(() => {
  discord.consent.signedIn = 'alice';
  discord.channels.splice(0, Infinity, NEWS, GENERAL, VOICE, ELSEWHERE);
});

/** Goes to Discord's page and returns; gives the browser, the redirect address, and the answer on return. */
async function agree(world: World, link: TestLink): Promise<{ browser: Browser; away: string; location: string }> {
  const browser = openBrowser(world);
  const left = await browser.press(await browser.get(link.path), BUTTON);
  const away = left.location ?? '';
  const answer = await fetch(away, { redirect: 'manual' });
  const back = await browser.get(answer.headers.get('location') ?? '');
  return { browser, away, location: back.location ?? '' };
}

async function credentialOf(world: World, location: string): Promise<unknown> {
  const id = destination(location)[1]['connectionId'] ?? '';
  const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
  return world.context.vault.open(row?.credentials ?? '', id);
}

type Webhook = ReturnType<typeof discord.addWebhook>;

function add({ id, token }: Webhook, fields: { readonly profileId: string; readonly slug?: string }) {
  const webhookUrl = `https://discord.com/api/webhooks/${id}/${token}`;
  return plainWorld.rest('POST /connections', {
    body: { platformId: 'discord', credentials: { webhookUrl }, ...fields },
  });
}

/** Stores the credential of a webhook as the first versions did. */
async function forgetChannel(id: string): Promise<void> {
  const { vault } = plainWorld.context;
  const [row] = await plainWorld.sql<{ credentials: string }>('select credentials from connections where id = $1', [
    id,
  ]);
  const { channelId: _channel, ...old } = vault.open(row?.credentials ?? '', id) as Record<string, unknown>;
  await plainWorld.sql('update connections set credentials = $2 where id = $1', [id, vault.seal(old, id)]);
}

describe('without an app', () => {
  it('offers only the webhook form, and connects it', async () => {
    const { id, token } = discord.addWebhook();
    const link = await makeLink(plainWorld, { platform: 'discord' });
    const browser = openBrowser(plainWorld);

    const form = await browser.get(link.path);
    const end = await browser.press(form, 'Connect', {
      'Webhook URL': `https://discord.com/api/webhooks/${id}/${token}`,
    });

    expect(form.text).not.toContain(BUTTON);
    expect(destination(end.location)[1]).toMatchObject({ slug: 'discord-the-bells', platform: 'discord' });
  });

  describe('connected again after its webhook was deleted', () => {
    /** A connection whose webhook is deleted after a post, and a link to connect it again. */
    async function broken({ isOld = false, besides = null as Webhook | null } = {}) {
      const first = discord.addWebhook();
      const { id: profileId } = await plainWorld.profile();
      const added = await add(first, { profileId });
      const { id, slug } = added.body.connection;
      if (isOld) await forgetChannel(id);
      if (besides !== null) await add(besides, { profileId, slug: 'taken' });
      const send = (text: string) =>
        plainWorld.rest('POST /posts', { body: { text, connectionSlugs: [slug], profileId } });
      const before = await send('before');
      discord.removeWebhook(first.id);
      await send('refused');
      const made = await plainWorld.rest('POST /connect-sessions', { body: { reconnectConnectionId: id } });
      const connect = async ({ id: webhookId, token }: { id: string; token: string }) => {
        const browser = openBrowser(plainWorld);
        const form = await browser.get(new URL(made.body.url).pathname);
        const typed = { 'Webhook URL': `https://discord.com/api/webhooks/${webhookId}/${token}` };
        return browser.press(form, 'Connect', typed);
      };
      const read = async () => (await plainWorld.rest(`GET /connections/${id}`)).body.connection;
      return { id, profileId, send, connect, read, postId: before.body.results[0].postId };
    }

    it('posts with another webhook of the same channel', async () => {
      const { id, send, connect, read } = await broken();
      expect(await read()).toMatchObject({ reconnectRequired: { reason: expect.any(String) } });

      const end = await connect(discord.addWebhook('Bells again'));

      expect(destination(end.location)[1]).toMatchObject({ connectionId: id });
      expect(await read()).toMatchObject({ id, handle: 'Bells again', reconnectRequired: null });
      expect((await send('after')).body.results).toMatchObject([{ status: 'sent' }]);
    });

    it('does so for a credential that was stored without its channel, if a post went out since', async () => {
      const { id, connect, read } = await broken({ isOld: true });

      const end = await connect(discord.addWebhook('Bells again'));

      expect(destination(end.location)[1]).toMatchObject({ connectionId: id });
      expect(await read()).toMatchObject({ id, handle: 'Bells again', reconnectRequired: null });
    });

    it('does not report a message of the deleted webhook as deleted, because it stays up', async () => {
      const { connect, postId } = await broken();
      await connect(discord.addWebhook());

      const { status, body } = await plainWorld.rest(`DELETE /posts/${postId}`);

      expect([status, body.error]).toEqual([422, 'platform_rejected']);
      expect(body.message).toContain('delete it on Discord');
      expect(discord.messages().map(({ content }) => content)).toContain('before');
    });

    it('posts with it after an ordinary link of its profile too', async () => {
      const { id, profileId, read, send } = await broken();
      const { id: webhookId, token } = discord.addWebhook('Bells again');
      const link = await makeLink(plainWorld, { platform: 'discord' }, { profileId });
      const typed = { 'Webhook URL': `https://discord.com/api/webhooks/${webhookId}/${token}` };

      const browser = openBrowser(plainWorld);
      const end = await browser.press(await browser.get(link.path), 'Connect', typed);

      expect(destination(end.location)[1]).toMatchObject({ connectionId: id });
      expect(await read()).toMatchObject({ id, handle: 'Bells again', reconnectRequired: null });
      expect((await send('after')).body.results).toMatchObject([{ status: 'sent' }]);
    });

    it('posts with it after POST /connections too, which connects it a second time only while the first one works', async () => {
      const { id, profileId, read } = await broken();

      const again = await add(discord.addWebhook('Again'), { profileId });
      const second = await add(discord.addWebhook('Second'), { profileId });

      expect([again.status, again.body.connection.id]).toEqual([200, id]);
      expect(await read()).toMatchObject({ handle: 'Again', reconnectRequired: null });
      expect(second.body.connection.id).not.toBe(id);
    });

    it('accepts no webhook of another channel', async () => {
      const { connect, read } = await broken();

      const refused = await connect(discord.addWebhook('Elsewhere', '799'));

      expect([refused.status, (await read()).reconnectRequired]).toEqual([422, expect.anything()]);
    });

    it('accepts no webhook that is connected already', async () => {
      const taken = discord.addWebhook('Taken');
      const { connect } = await broken({ besides: taken });

      const refused = await connect(taken);

      expect(refused.status).toBe(422);
      expect(refused.text).toContain('is connected already, as taken');
    });
  });

  it.each([
    ['what is no URL of a webhook', 'https://discord.com/channels/1/2', 'Webhook URL: expected the URL of a webhook'],
    ['a host that is not Discord', 'https://evil.example/api/webhooks/1/secret', 'evil.example is not Discord'],
    ['a webhook that is gone', 'https://discord.com/api/webhooks/1/secret', 'Unknown Webhook'],
  ])('refuses %s with its reason, and does not show it', async (_case, url, message) => {
    const link = await makeLink(plainWorld, { platform: 'discord' });
    const browser = openBrowser(plainWorld);

    const refused = await browser.press(await browser.get(link.path), 'Connect', { 'Webhook URL': url });
    const end = await browser.press(refused, 'Cancel');

    expect(refused.text).toContain(message);
    expect(refused.text).not.toContain('secret');
    expect(destination(end.location)[1]).toMatchObject({
      error: message.startsWith('Webhook URL') ? 'cancelled' : 'connect_failed',
    });
  });
});

describe('with an app', () => {
  beforeEach(() => allow('webhook.incoming'));

  it('redirects to Discord’s own page, and connects the webhook that Discord creates', async () => {
    const link = await makeLink(appWorld, { platform: 'discord' });

    const { away, location } = await agree(appWorld, link);

    expect(destination(away)).toEqual([
      `${discord.url}/oauth2/authorize`,
      expect.objectContaining({
        client_id: 'our-app',
        redirect_uri: `${PUBLIC_URL}/connect/callback/discord`,
        response_type: 'code',
        scope: 'webhook.incoming',
      }),
    ]);
    expect(destination(location)[1]).toMatchObject({ slug: 'discord-the-bells', platform: 'discord' });
    expect(await credentialOf(appWorld, location)).toEqual({
      kind: 'webhook',
      webhookId: expect.stringMatching(/^\d+$/),
      webhookToken: expect.stringMatching(/^token-of-/),
      guildId: '800',
      channelId: '700',
    });
  });

  it('still accepts the URL of a webhook', async () => {
    const { id, token } = discord.addWebhook();
    const link = await makeLink(appWorld, { platform: 'discord' });
    const browser = openBrowser(appWorld);

    const url = `https://discord.com/api/webhooks/${id}/${token}`;
    const end = await browser.press(await browser.get(link.path), 'Connect', { 'Webhook URL': url });

    expect(destination(end.location)[1]).toMatchObject({ platform: 'discord' });
  });

  it('ends as cancelled when the customer declines there', async () => {
    discord.consent.signedIn = null;
    const link = await makeLink(appWorld, { platform: 'discord' });

    const { location } = await agree(appWorld, link);

    expect(destination(location)[1]).toMatchObject({ error: 'cancelled' });
  });

  it('shows why a code is refused, with both ways to retry, and no secret', async () => {
    const link = await makeLink(appWorld, { platform: 'discord' });
    const browser = openBrowser(appWorld);
    const away = await browser.press(await browser.get(link.path), BUTTON);
    const state = destination(away.location)[1]['state'] ?? '';

    const back = await browser.get(`/connect/callback/discord?code=forged&state=${encodeURIComponent(state)}`);
    const page = await browser.get(back.location ?? '');

    expect(page.text).toContain('Discord refused: Invalid &quot;code&quot; in request.');
    expect(page.text).toContain(BUTTON);
    expect(page.text).toContain('Webhook URL');
    expect(page.text).not.toContain(APP.DISCORD_CLIENT_SECRET);
  });
});

describe('with the bot of an app', () => {
  beforeEach(() => allow('bot identify'));

  it('lets the customer choose a text channel of the server that added the bot', async () => {
    const link = await makeLink(botWorld, { platform: 'discord' });

    const { browser, away, location } = await agree(botWorld, link);
    const choice = await browser.get(location);
    const end = await browser.press(choice, '#news');

    expect(destination(away)[1]).toMatchObject({ scope: 'bot identify', permissions: '117760' });
    expect([...choice.text.matchAll(/name="account"[^>]*>([^<]+)</g)].map(([, label]) => label)).toEqual([
      '#general',
      '#news',
    ]);
    expect(destination(end.location)[1]).toMatchObject({ slug: 'discord-news', platform: 'discord' });
    const login = { kind: 'bot', channelId: '701', guildId: '800', botId: '900' };
    expect(await credentialOf(botWorld, end.location ?? '')).toEqual(login);
  });

  it('says so when there is no text channel', async () => {
    discord.channels.splice(0, Infinity, VOICE, ELSEWHERE);
    const link = await makeLink(botWorld, { platform: 'discord' });

    const { browser, location } = await agree(botWorld, link);

    expect((await browser.get(location)).text).toContain('The server has no text channel that the bot sees.');
  });

  it('a channel cannot be connected with a key', async () => {
    const { status, body } = await botWorld.rest('POST /connections', {
      body: { platformId: 'discord', credentials: { channelId: '701', guildId: '800' } },
    });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('a post by the bot', () => {
  async function connected(): Promise<{ slug: string; profileId: string }> {
    allow('bot identify');
    discord.channels.splice(0, Infinity, GENERAL);
    const link = await makeLink(botWorld, { platform: 'discord' });
    const { location } = await agree(botWorld, link);
    return { slug: destination(location)[1]['slug'] ?? '', profileId: link.profileId };
  }

  const existing = (text: string) => discord.messages().filter(({ content }) => content === text);

  it.each(['drops_after', 'fails_after'] as const)('is found, and exists once, after %s', async (fault) => {
    const { slug, profileId } = await connected();
    discord.faults.push(fault);
    const text = `lost: ${fault}`;

    const { body } = await botWorld.rest('POST /posts', { body: { text, connectionSlugs: [slug], profileId } });

    expect(body.results).toMatchObject([{ status: 'sent', error: null }]);
    expect(existing(text)).toHaveLength(1);
  });

  it.each(['drops_before', 'fails_before'] as const)('is absent after %s, and may be sent again', async (fault) => {
    const { slug, profileId } = await connected();
    discord.faults.push(fault);
    const text = `never stored: ${fault}`;

    const { body } = await botWorld.rest('POST /posts', { body: { text, connectionSlugs: [slug], profileId } });

    expect(body.results).toMatchObject([{ status: 'failed', error: { code: 'platform_unavailable' } }]);
    expect(existing(text)).toEqual([]);
  });

  /** Returns a sent post to the state in which its process died during the send. */
  async function cutOff(postId: string): Promise<void> {
    await botWorld.sql(
      `update attempts set state = 'sending', settled_at = null, platform_post_id = null where post_id = $1`,
      [postId],
    );
    const past = new Date(botWorld.clock.now().getTime() - 1);
    await botWorld.sql(
      `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2 where id = $1`,
      [postId, past],
    );
  }

  async function postImage(text: string): Promise<string> {
    const { slug, profileId } = await connected();
    const upload = await botWorld.rest('POST /media', {
      raw: await plain(9, 9).png().toBuffer(),
      headers: { 'content-type': 'image/png' },
    });
    const mediaIds = [upload.body.media.id];
    const { body } = await botWorld.rest('POST /posts', {
      body: { text, connectionSlugs: [slug], profileId, mediaIds },
    });
    return body.results[0].postId;
  }

  it('is found again after an interruption and not published twice', async () => {
    const postId = await postImage('cut off, and up');
    await cutOff(postId);

    await botWorld.runDue();

    const { body } = await botWorld.rest(`GET /posts/${postId}`);
    expect([body.post.status, existing('cut off, and up').length]).toEqual(['sent', 1]);
  });

  it('is published again with its images within two minutes, if it was interrupted and does not exist', async () => {
    const postId = await postImage('cut off, and gone');
    await cutOff(postId);
    discord.clear();

    await botWorld.runDue();

    const [message, ...more] = existing('cut off, and gone');
    expect([message?.attachments.length, more]).toEqual([1, []]);
  });

  it('is not published again when it was interrupted longer ago', async () => {
    const postId = await postImage('cut off long ago');
    await cutOff(postId);
    discord.clear();
    botWorld.clock.advance(120_000);

    await botWorld.runDue();

    const { body } = await botWorld.rest(`GET /posts/${postId}`);
    expect([body.post.status, body.post.error?.code, existing('cut off long ago')]).toEqual([
      'failed',
      'platform_unavailable',
      [],
    ]);
  });
});
