/** Checks the protection of every page: no third-party content, no framing, and no caching of personal pages. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { ownerLink, OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { authorizeUrl, registered } from '../oauth/agents.ts';

const world = await startWorld({ env: OWNER_ENV });
const stranger = openBrowser(world);
const owner = await signedInBrowser(world);
const clientId = await registered(world);

const [{ id: accountId } = { id: '' }] = await world.sql<{ id: string }>('select id from accounts');
const { id: profileId } = await world.profile();
const session = { redirectUrl: 'https://app.example/done' };
const connect = (await world.rest(`POST /profiles/${profileId}/connect`, { body: session })).body;
const setUp = await ownerLink(world, accountId);
const consent = (await owner.get(authorizeUrl({ clientId }))).location ?? '';

const OPEN: [name: string, open: () => ReturnType<typeof owner.get>][] = [
  ['the reference', () => stranger.get('/docs')],
  ['the errors', () => stranger.get('/docs/errors')],
  ['the status', () => stranger.get('/status')],
];

const PERSONAL: typeof OPEN = [
  ['the sign-in', () => stranger.get('/sign-in')],
  ['a refused sign-in', () => stranger.post('/sign-in', { email: 'x', password: 'y' })],
  ['a form that cannot be read', () => stranger.post('/sign-in', { email: 'x'.repeat(200_000) })],
  ['a set-up', () => stranger.get(setUp)],
  ['a set-up that is not there', () => stranger.get('/set-up/nothing')],
  ['the owner’s page', () => owner.get('/owner')],
  ['the agents', () => owner.get('/owner/agents')],
  ['the keys', () => owner.get('/owner/keys')],
  ['the activity', () => owner.get('/owner/activity')],
  ['the console', () => stranger.get('/')],
  ['the console of an owner', () => owner.get('/')],
  ['a foreign form', () => owner.post('/owner/password', {})],
  ['a consent', () => owner.get(consent)],
  ['a consent without a request', () => stranger.get('/oauth/interaction/nothing')],
  ['a refused consent', () => owner.post(consent, {})],
  ['a request for consent that cannot be answered', () => owner.get(authorizeUrl({ clientId: 'unknown' }))],
  ['a connect link', () => stranger.get(new URL(connect.url).pathname)],
  ['a connect link that is not there', () => stranger.get('/connect/nothing')],
];

describe.each([...OPEN, ...PERSONAL])('%s', (_name, open) => {
  it('cannot be framed and loads no third-party content', async () => {
    const { headers } = await open();

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/script-src [^;]*(unsafe|https?:|\*)/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

it.each(PERSONAL)('%s must not be cached', async (_name, open) => {
  expect((await open()).headers.get('cache-control')).toBe('no-store');
});
