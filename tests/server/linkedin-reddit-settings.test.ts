/** The operator's apps at LinkedIn and Reddit: complete or absent, and the scopes of LinkedIn's. */
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

const LINKEDIN = { LINKEDIN_CLIENT_ID: 'id', LINKEDIN_CLIENT_SECRET: 'secret' };

it.each([
  [{}, null],
  [LINKEDIN, { clientId: 'id', clientSecret: 'secret', scopes: ['openid', 'profile', 'w_member_social'] }],
  [
    { ...LINKEDIN, LINKEDIN_SCOPES: 'openid w_organization_social' },
    { clientId: 'id', clientSecret: 'secret', scopes: ['openid', 'w_organization_social'] },
  ],
])('%j sets the app of LinkedIn to %j', (env, app) => {
  expect(readConfig(env).apps.linkedin).toEqual(app);
});

it.each([
  [{}, null],
  [
    { REDDIT_CLIENT_ID: 'id', REDDIT_CLIENT_SECRET: 'secret' },
    { clientId: 'id', clientSecret: 'secret' },
  ],
])('%j sets the app of Reddit to %j', (env, app) => {
  expect(readConfig(env).apps.reddit).toEqual(app);
});

it.each([
  ['LINKEDIN', { LINKEDIN_CLIENT_ID: 'id' }],
  ['LINKEDIN', { LINKEDIN_CLIENT_SECRET: 'secret' }],
  ['REDDIT', { REDDIT_CLIENT_ID: 'id' }],
  ['REDDIT', { REDDIT_CLIENT_SECRET: 'secret' }],
])('refuses half of the app of %s: %j', (name, env) => {
  expect(() => readConfig(env)).toThrow(`${name}_CLIENT_ID: is set together with ${name}_CLIENT_SECRET`);
});

it.each(['openid,profile', 'openid  profile', ' openid', 'openid;'])('refuses the scopes %j', (LINKEDIN_SCOPES) => {
  expect(() => readConfig({ ...LINKEDIN, LINKEDIN_SCOPES })).toThrow(
    'LINKEDIN_SCOPES: must be names of scopes with one space between them',
  );
});

it('accepts their servers as origins', () => {
  const names = ['LINKEDIN_API_URL', 'LINKEDIN_AUTH_URL', 'REDDIT_API_URL', 'REDDIT_AUTH_URL'] as const;
  const own = Object.fromEntries(names.map((name, index) => [name, `http://127.0.0.1:400${index}/`]));

  const [usual, changed] = [readConfig({}).endpoints, readConfig(own).endpoints];

  expect(names.map((name) => [usual[name], changed[name]])).toEqual([
    ['https://api.linkedin.com', 'http://127.0.0.1:4000'],
    ['https://www.linkedin.com', 'http://127.0.0.1:4001'],
    ['https://oauth.reddit.com', 'http://127.0.0.1:4002'],
    ['https://www.reddit.com', 'http://127.0.0.1:4003'],
  ]);
});
