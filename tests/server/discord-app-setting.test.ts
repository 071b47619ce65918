/**
 * DISCORD_CLIENT_ID, DISCORD_CLIENT_SECRET and DISCORD_BOT_TOKEN: the operator's app at Discord, complete or absent,
 * and its bot.
 */
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

const APP = { DISCORD_CLIENT_ID: 'id', DISCORD_CLIENT_SECRET: 'secret' };

it.each([
  [{}, null],
  [APP, { clientId: 'id', clientSecret: 'secret', botToken: undefined }],
  [
    { ...APP, DISCORD_BOT_TOKEN: 'token' },
    { clientId: 'id', clientSecret: 'secret', botToken: 'token' },
  ],
])('%j sets the app of Discord to %j', (env, app) => {
  expect(readConfig(env).apps.discord).toEqual(app);
});

it.each([
  [{ DISCORD_CLIENT_ID: 'id' }, 'DISCORD_CLIENT_ID: is set together with DISCORD_CLIENT_SECRET'],
  [{ DISCORD_CLIENT_SECRET: 'secret' }, 'DISCORD_CLIENT_ID: is set together with DISCORD_CLIENT_SECRET'],
  [{ DISCORD_BOT_TOKEN: 'token' }, 'DISCORD_BOT_TOKEN: is used only with DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET'],
])('refuses an incomplete app: %j', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});

it('sets Discord and Telegram to other servers', () => {
  const env = { DISCORD_API_URL: 'http://127.0.0.1:4000/', TELEGRAM_API_URL: 'http://127.0.0.1:5000' };

  expect(readConfig(env).endpoints).toMatchObject({
    DISCORD_API_URL: 'http://127.0.0.1:4000',
    TELEGRAM_API_URL: 'http://127.0.0.1:5000',
  });
});
