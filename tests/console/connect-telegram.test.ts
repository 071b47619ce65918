/** Telegram on the hosted page: the token of a bot and a chat, and the refusals of each. */
import { afterAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { destination, makeLink } from '../harness/connect-links.ts';
import { startWorld } from '../harness/world.ts';
import { startFakeTelegram } from '../platforms/fakes/fake-telegram.ts';

const telegram = await startFakeTelegram({ now: () => world.clock.now() });
afterAll(() => telegram.close());
const world = await startWorld({ env: { TELEGRAM_API_URL: telegram.url } });

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
telegram.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
telegram.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });
telegram.addChat({ id: -1007, type: 'channel', title: 'Not ours', username: 'notours', member: { status: 'member' } });

describe('Telegram', () => {
  it('asks for a token and a chat, and connects the chat', async () => {
    const link = await makeLink(world, { platform: 'telegram' });
    const browser = openBrowser(world);

    const form = await browser.get(link.path);
    const end = await browser.press(form, 'Connect', { 'Bot token': TOKEN, Chat: '@thebells' });

    expect([...form.text.matchAll(/<label for="[^"]+">([^<]+)</g)].map(([, label]) => label)).toEqual([
      'Bot token',
      'Chat',
    ]);
    const [, query] = destination(end.location);
    expect(query).toMatchObject({ slug: 'telegram-thebells', platform: 'telegram' });
    const id = query['connectionId'] ?? '';
    const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
    expect(row?.credentials).not.toContain(TOKEN);
    expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({ botToken: TOKEN, chatId: '-1001234567890' });
  });

  it('connects a group again that has got another number meanwhile', async () => {
    const group = telegram.addChat({ id: -4007, type: 'group', title: 'Ringers' });
    const credentials = { botToken: TOKEN, chatId: -4007 };
    const { body } = await world.rest('POST /connections', { body: { platformId: 'telegram', credentials } });
    const { id, slug } = body.connection;
    telegram.addChat({ id: -1004007, type: 'supergroup', title: 'Ringers' });
    Object.assign(group, { movedTo: -1004007 });
    await world.rest('POST /posts', { body: { text: 'moves', connectionSlugs: [slug] } });
    const made = await world.rest('POST /connect-sessions', { body: { reconnectConnectionId: id } });
    const browser = openBrowser(world);
    const form = await browser.get(new URL(made.body.url).pathname);

    const end = await browser.press(form, 'Connect', { 'Bot token': TOKEN, Chat: '-1004007' });

    expect(destination(end.location)[1]).toMatchObject({ connectionId: id });
  });

  it.each([
    ['a malformed token', { 'Bot token': 'secret', Chat: '@thebells' }, 'Bot token: expected the token of a bot'],
    ['a malformed chat', { 'Bot token': TOKEN, Chat: 'the bells' }, 'Chat: expected the name of a public channel'],
    ['a channel in which the bot may not post', { 'Bot token': TOKEN, Chat: '@notours' }, 'make it an administrator'],
    ['a token that was revoked', { 'Bot token': `${TOKEN}0`, Chat: '@thebells' }, 'Unauthorized'],
  ])('refuses %s with its reason, and lets the customer retry', async (_case, typed, message) => {
    const link = await makeLink(world, { platform: 'telegram' });
    const browser = openBrowser(world);

    const refused = await browser.press(await browser.get(link.path), 'Connect', typed);
    const end = await browser.press(refused, 'Connect', { 'Bot token': TOKEN, Chat: '@thebells' });

    expect(refused.status).toBe(422);
    expect(refused.text).toContain(message);
    expect(refused.text).not.toContain(typed['Bot token']);
    expect(destination(end.location)[1]).toMatchObject({ platform: 'telegram' });
  });
});
