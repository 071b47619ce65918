/** META_CLIENT_ID and THREADS_CLIENT_ID with their secrets: the operator's apps at Meta, complete or absent. */
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

it.each([
  [{}, null],
  [
    { META_CLIENT_ID: 'id', META_CLIENT_SECRET: 'secret' },
    { clientId: 'id', clientSecret: 'secret' },
  ],
])('%j sets the app of Meta to %j', (env, app) => {
  expect(readConfig(env).apps.meta).toEqual(app);
});

it.each([{ META_CLIENT_ID: 'id' }, { META_CLIENT_SECRET: 'secret' }])('refuses half of it: %j', (env) => {
  expect(() => readConfig(env)).toThrow('META_CLIENT_ID: is set together with META_CLIENT_SECRET');
});

it.each([
  [{}, 'https://www.facebook.com', 'https://x.com'],
  [
    { META_AUTH_URL: 'http://127.0.0.1:4000/', X_AUTH_URL: 'http://127.0.0.1:5000' },
    'http://127.0.0.1:4000',
    'http://127.0.0.1:5000',
  ],
])('%j sets META_AUTH_URL to %s and X_AUTH_URL to %s', (env, meta, x) => {
  const { META_AUTH_URL, X_AUTH_URL } = readConfig(env).endpoints;

  expect([META_AUTH_URL, X_AUTH_URL]).toEqual([meta, x]);
});

it.each([
  [{}, null],
  [
    { THREADS_CLIENT_ID: 'id', THREADS_CLIENT_SECRET: 'secret' },
    { clientId: 'id', clientSecret: 'secret' },
  ],
])('%j sets the app for Threads to %j', (env, app) => {
  expect(readConfig(env).apps.threads).toEqual(app);
});

it.each([{ THREADS_CLIENT_ID: 'id' }, { THREADS_CLIENT_SECRET: 'secret' }])('refuses half of it: %j', (env) => {
  expect(() => readConfig(env)).toThrow('THREADS_CLIENT_ID: is set together with THREADS_CLIENT_SECRET');
});

it.each([
  [{}, 'https://graph.threads.net', 'https://threads.net'],
  [
    { THREADS_API_URL: 'http://127.0.0.1:4000/', THREADS_AUTH_URL: 'http://127.0.0.1:5000' },
    'http://127.0.0.1:4000',
    'http://127.0.0.1:5000',
  ],
])('%j sets THREADS_API_URL to %s and THREADS_AUTH_URL to %s', (env, api, page) => {
  const { THREADS_API_URL, THREADS_AUTH_URL } = readConfig(env).endpoints;

  expect([THREADS_API_URL, THREADS_AUTH_URL]).toEqual([api, page]);
});
