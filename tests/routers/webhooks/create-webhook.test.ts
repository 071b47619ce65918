/** POST /webhooks accepts only addresses on the public internet, and returns the secret only once. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_EVENT_NAMES } from '../../../entities/event.ts';
import { refusal, UUID } from '../../harness/expected.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

/** The addresses that hosts resolve to in these tests. All other hosts are unknown. */
const HOSTS: Record<string, readonly string[]> = {
  'app.example': ['93.184.215.14'],
  'both.example': ['10.0.0.1', '93.184.215.14'],
  'inside.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'here.example': ['127.0.0.1'],
  'six.example': ['fd00::1'],
  'nothing.example': [],
};

const lookup = async (hostname: string) => {
  const addresses = HOSTS[hostname];
  if (addresses === undefined) throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

const world = await startWorld({ env: { OUTBOUND_ALLOW: '' }, receivers: { lookup } });
const allowing = await startWorld({ receivers: { lookup } });

const create = (body: unknown, from = world) => from.rest('POST /webhooks', { body });

describe('200', () => {
  it('returns the webhook with its secret; without a list of events it receives the seven original ones', async () => {
    const { status, body } = await create({ url: 'https://app.example/hooks?from=carillon' });

    expect(status).toBe(200);
    expect(body).toEqual({
      webhook: {
        id: UUID,
        url: 'https://app.example/hooks?from=carillon',
        events: [...DEFAULT_EVENT_NAMES],
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9_-]{43}$/),
        description: null,
        enabled: true,
        disabledAt: null,
        disabledReason: null,
        createdAt: START.toISOString(),
      },
    });
    expect(body.webhook.events.toSorted()).toEqual([
      'connection.created',
      'connection.removed',
      'post.deleted',
      'post.failed',
      'post.metrics',
      'post.rescheduled',
      'post.sent',
    ]);
  });

  it('stores the requested events without duplicates', async () => {
    const events = ['post.failed', 'post.sent', 'post.failed'];

    const { body } = await create({ url: 'https://app.example/hooks', events });

    expect(body.webhook.events).toEqual(['post.failed', 'post.sent']);
  });

  it('creates a different secret each time, and never stores a readable secret', async () => {
    const made = await Promise.all([1, 2].map(() => create({ url: 'https://app.example/hooks' })));

    const secrets = made.map(({ body }) => body.webhook.secret as string);
    const stored = await world.sql<{ secret: string }>('select secret from webhooks');
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) {
      expect(stored.filter((row) => row.secret.includes(secret) || row.secret.includes(secret.slice(6)))).toEqual([]);
    }
  });

  it.each([
    ['plain http to an address in OUTBOUND_ALLOW', 'http://127.0.0.1:8080/hook'],
    ['a name that resolves to one', 'http://here.example/hook'],
    ['IPv6 in brackets', 'http://[::1]:8080/hook'],
  ])('accepts %s', async (_case, url) => {
    expect((await create({ url }, allowing)).body.webhook.url).toBe(url);
  });

  it('accepts a host with at least one public address: only that one is ever connected to', async () => {
    expect((await create({ url: 'https://both.example/hook' })).status).toBe(200);
  });
});

describe('400 invalid_request', () => {
  const notPublic = (host: string, address = host) =>
    `url: ${host}${address === host ? ' is' : ` resolves to ${address}, which is`} not a public address; list it in OUTBOUND_ALLOW if this install may reach it.`;

  it.each([
    ['https://127.0.0.1/hook', notPublic('127.0.0.1')],
    ['https://10.1.2.3/hook', notPublic('10.1.2.3')],
    ['https://192.168.0.1/hook', notPublic('192.168.0.1')],
    ['https://169.254.169.254/latest/meta-data', notPublic('169.254.169.254')],
    ['https://[::1]/hook', notPublic('::1')],
    ['https://[::ffff:127.0.0.1]/hook', notPublic('::ffff:7f00:1')],
    ['https://0x7f.1/hook', notPublic('127.0.0.1')],
    ['https://inside.example/hook', notPublic('inside.example', '10.0.0.1')],
    ['https://metadata.example/hook', notPublic('metadata.example', '169.254.169.254')],
    ['https://here.example/hook', notPublic('here.example', '127.0.0.1')],
    ['https://six.example/hook', notPublic('six.example', 'fd00::1')],
    ['https://nowhere.example/hook', 'url: nowhere.example is not a known host name.'],
    ['https://nothing.example/hook', 'url: nothing.example resolves to no address.'],
    [
      'http://app.example/hook',
      'url: app.example is allowed over plain http only if its addresses are in OUTBOUND_ALLOW; use https.',
    ],
    ['https://me:secret@app.example/hook', 'url: expected an address without user name and password.'],
    ['ftp://app.example/hook', 'url: expected an https address.'],
    ['javascript:alert(1)', 'url: expected an https address.'],
    ['app.example/hook', 'url: expected an address such as https://app.example/webhooks.'],
    ['https://app.example/ho ok', 'url: expected an address such as https://app.example/webhooks.'],
    ['https://app.example/\nhook', 'url: expected an address such as https://app.example/webhooks.'],
  ])('refuses %s', async (url, message) => {
    const { status, body } = await create({ url });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', message));
  });

  it('refuses a host if its name server does not answer in time', async () => {
    await using slow = await startWorld({ receivers: { timeoutMs: 50, lookup: () => new Promise(() => undefined) } });

    const { status, body } = await create({ url: 'https://app.example/hook' }, slow);

    expect(status).toBe(400);
    expect(body).toEqual(refusal('invalid_request', 'url: app.example could not be looked up within 0.05 seconds.'));
  });

  it.each([
    ['no events', { events: [] }],
    ['an event that does not exist', { events: ['post.sent', 'post.read'] }],
    ['an address that is too long', { url: `https://app.example/${'a'.repeat(2_000)}` }],
    ['a field that does not exist', { secret: 'mine' }],
    ['no address', { url: undefined }],
    ['an address that is no text', { url: 7 }],
  ])('refuses %s', async (_case, fields) => {
    const { status, body } = await create({ url: 'https://app.example/hook', ...fields });

    expect(status).toBe(400);
    expect(body.error).toBe('invalid_request');
    expect(body.message).toMatch(new RegExp(Object.keys(fields)[0] ?? ''));
  });
});
