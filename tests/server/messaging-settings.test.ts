/** The settings of Slack, SMS and email: complete or absent, and never with a password in a message. */
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

const TWILIO = { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: '+15550100999' };

it.each([
  [{}, null],
  [
    { SLACK_CLIENT_ID: 'id', SLACK_CLIENT_SECRET: 'secret' },
    { clientId: 'id', clientSecret: 'secret' },
  ],
])('%j sets the app of Slack to %j', (env, app) => {
  expect(readConfig(env).apps.slack).toEqual(app);
});

it.each([
  [{}, null],
  [TWILIO, { accountSid: TWILIO.TWILIO_ACCOUNT_SID, authToken: 'token', from: '+15550100999' }],
])('%j sets the account at Twilio to %j', (env, account) => {
  expect(readConfig(env).apps.twilio).toEqual(account);
});

it.each(['+15550100999', '12345', 'Bells', 'The Bells 1', `MG${'a'.repeat(32)}`])(
  '%j enables text messages',
  (from) => {
    expect(readConfig({ ...TWILIO, TWILIO_FROM: from }).apps.twilio?.from).toBe(from);
  },
);

it.each(['+0155', 'A name that is long', `MG${'z'.repeat(32)}`, '5550-100', 'Bells!'])(
  '%j does not enable text messages',
  (from) => {
    expect(() => readConfig({ ...TWILIO, TWILIO_FROM: from })).toThrow(/^TWILIO_FROM: must be/);
  },
);

const server = (more: object) => ({ host: 'mail.bells.example', requireTls: false, ...more });
it.each([
  ['smtp://mail.bells.example', server({ port: 587, secure: false })],
  ['smtps://mail.bells.example/', server({ port: 465, secure: true })],
  [
    'smtps://bells:p%40ss@mail.bells.example:2465',
    server({ port: 2465, secure: true, user: 'bells', password: 'p@ss' }),
  ],
  [
    'smtp://bells:pass@mail.bells.example',
    server({ port: 587, secure: false, requireTls: true, user: 'bells', password: 'pass' }),
  ],
  [
    'smtp://bells:pass@127.0.0.1:25',
    { host: '127.0.0.1', port: 25, secure: false, requireTls: false, user: 'bells', password: 'pass' },
  ],
  ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, requireTls: false }],
])('SMTP_URL=%s is the server %j', (url, expected) => {
  expect(readConfig({ SMTP_URL: url, SMTP_FROM: 'a@b.example' }).mail?.server).toEqual(expected);
});

it.each([
  ['posts@bells.example', { name: '', address: 'posts@bells.example' }],
  ['The Bells <posts@bells.example>', { name: 'The Bells', address: 'posts@bells.example' }],
  ['"Bells, The" <posts@bells.example>', { name: 'Bells, The', address: 'posts@bells.example' }],
])('SMTP_FROM=%s is %j', (from, expected) => {
  expect(readConfig({ SMTP_URL: 'smtp://localhost', SMTP_FROM: from }).mail?.from).toEqual(expected);
});

it.each([
  [{ SMTP_URL: 'https://u:hidden@mail.example', SMTP_FROM: 'a@b.example' }, 'SMTP_URL: must be smtps://'],
  [{ SMTP_URL: 'smtp://u:hidden@mail.example/?pool=true', SMTP_FROM: 'a@b.example' }, 'SMTP_URL: must be smtps://'],
  [{ SMTP_URL: 'smtp://u:hidden%@mail.example', SMTP_FROM: 'a@b.example' }, 'SMTP_URL: has a % in its user'],
  [{ SMTP_URL: 'hidden', SMTP_FROM: 'a@b.example' }, 'SMTP_URL: must be smtps://'],
  [{ SMTP_URL: 'smtp://localhost', SMTP_FROM: 'bells' }, 'SMTP_FROM: must be an address'],
  [{ SMTP_URL: 'smtp://localhost', SMTP_FROM: 'a@b.example, c@d.example' }, 'SMTP_FROM: must be an address'],
  [{ SMTP_URL: 'smtp://localhost', SMTP_FROM: 'A\nBcc: c@d.example <a@b.example>' }, 'SMTP_FROM: must be an address'],
  [{ SMTP_URL: 'smtp://localhost' }, 'SMTP_URL: is set together with SMTP_FROM'],
  [{ SMTP_FROM: 'a@b.example' }, 'SMTP_URL: is set together with SMTP_FROM'],
  [{ SLACK_CLIENT_SECRET: 'hidden' }, 'SLACK_CLIENT_ID: is set together with SLACK_CLIENT_SECRET'],
  [
    { TWILIO_ACCOUNT_SID: TWILIO.TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN: 'hidden' },
    'TWILIO_ACCOUNT_SID: is set together with TWILIO_AUTH_TOKEN and TWILIO_FROM',
  ],
  [{ ...TWILIO, TWILIO_ACCOUNT_SID: 'SK1' }, 'TWILIO_ACCOUNT_SID: must be AC and 32 hexadecimal digits'],
])('refuses %j', (env, message) => {
  const read = () => readConfig(env);

  expect(read).toThrow(message);
  expect(read).not.toThrow('hidden');
});

it.each([
  [{}, ['https://slack.com', 'https://api.twilio.com']],
  [
    { SLACK_API_URL: 'http://127.0.0.1:4000/', TWILIO_API_URL: 'http://127.0.0.1:5000' },
    ['http://127.0.0.1:4000', 'http://127.0.0.1:5000'],
  ],
])('%j sets the servers of Slack and Twilio to %j', (env, origins) => {
  const { SLACK_API_URL, TWILIO_API_URL } = readConfig(env).endpoints;

  expect([SLACK_API_URL, TWILIO_API_URL]).toEqual(origins);
});
