import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

it.each([
  [{}, null],
  [{ X_CLIENT_ID: 'id' }, { clientId: 'id', clientSecret: undefined }],
  [
    { X_CLIENT_ID: 'id', X_CLIENT_SECRET: 'secret' },
    { clientId: 'id', clientSecret: 'secret' },
  ],
])('%j sets the app of X to %j', (env, app) => {
  expect(readConfig(env).apps.x).toEqual(app);
});

it('refuses a secret without its app', () => {
  expect(() => readConfig({ X_CLIENT_SECRET: 'secret' })).toThrow('X_CLIENT_SECRET: is used only with X_CLIENT_ID');
});

it.each([
  [{}, 'https://api.x.com'],
  [{ X_API_URL: 'http://127.0.0.1:4000/' }, 'http://127.0.0.1:4000'],
])('%j sets X_API_URL to %s', (env, origin) => {
  expect(readConfig(env).endpoints.X_API_URL).toBe(origin);
});
