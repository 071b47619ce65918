/** /owner/agents: the grants of agents, and their revocation. */
import { beforeAll, expect, it } from 'vitest';
import { type Browser, type BrowserPage, openBrowser } from '../harness/browser.ts';
import { startWorld, type World } from '../harness/world.ts';
import { authorizeUrl, callTool, type Person, refresh, registered, signIn, tokensFor } from './agents.ts';
import { otherAccount } from './people.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
});

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

it('shows each grant: client, redirect addresses, scopes, reach, creation and last use', async () => {
  const { id } = await world.profile('Bells');
  expect((await person.browser.get('/owner/agents')).text).toContain('No program may act for you.');
  const narrow = await tokensFor(world, person, { reach: id });
  await tokensFor(world, person, { reach: 'test' });
  world.clock.advance(90_000);
  await callTool(world, narrow.access, 'list_posts');
  const { status, text } = await person.browser.get('/owner/agents');

  expect(status).toBe(200);
  expect(textOf(text)).toContain(
    'Agent Answers go to agent.example It can See which accounts are connected, with their queues and settings ' +
      'Read all posts with their texts, images and results, drafts included ' +
      `It reaches Test mode only Allowed by ${person.ownerId}@example.com Since 2026-11-21 12:00 UTC Last used Never Revoke`,
  );
  expect(textOf(text)).toContain(
    `It reaches Only the profile Bells Allowed by ${person.ownerId}@example.com ` +
      'Since 2026-11-21 12:00 UTC Last used 2026-11-21 12:01 UTC Revoke',
  );
});

it('revokes a grant at once with Revoke', async () => {
  const owner = await signIn(world, undefined, 'viewer');
  const tokens = await tokensFor(world, owner);
  expect((await callTool(world, tokens.access, 'list_posts')).status).toBe(200);
  const pressed = await owner.browser.press(await owner.browser.get('/owner/agents'), 'Revoke');

  expect([pressed.status, pressed.location]).toEqual([303, '/owner/agents']);
  expect((await callTool(world, tokens.access, 'list_posts')).status).toBe(401);
  expect((await refresh(world, tokens.clientId, tokens.refresh)).body.error).toBe('invalid_grant');
  expect((await owner.browser.get('/owner/agents')).text).toContain('No program may act for you.');
});

it('leads on to the grants beyond the first 200, where they can be revoked too', async () => {
  const owner = await signIn(world, await otherAccount(world));
  await tokensFor(world, owner);
  await world.sql(
    `insert into oauth_grants (id, account_id, owner_id, client_id, client_name, redirect_host, scopes, mode, created_at)
    select gen_random_uuid(), account_id, owner_id, client_id, 'Later', redirect_host, scopes, mode, created_at + interval '1 s'
    from oauth_grants, generate_series(1, 200) where owner_id = $1`,
    [owner.ownerId],
  );

  const first = await owner.browser.get('/owner/agents');
  const second = await owner.browser.get(/href="([^"]+)">More agents/.exec(first.text)?.[1] ?? '');

  const names = (text: string) => [...text.matchAll(/<h2 [^>]*>([^<]*)</g)].map(([, name]) => name);
  expect([new Set(names(first.text)), names(second.text)]).toEqual([new Set(['Later']), ['Agent']]);
  expect(second.text).not.toContain('More agents');
  const pressed = await owner.browser.press(second, 'Revoke');
  expect(pressed.status).toBe(303);
  const [left] = await world.sql(
    'select id from oauth_grants where owner_id = $1 and client_name = $2 and revoked_at is null',
    [owner.ownerId, 'Agent'],
  );
  expect(left).toBeUndefined();
});

it('accepts only its own form, and does not affect the grants of others unless the person is an owner', async () => {
  const [owner, other] = [await signIn(world), await signIn(world, undefined, 'editor')];
  const tokens = await tokensFor(world, owner);
  await tokensFor(world, other);
  const action = /action="(\/owner\/agents\/[^"]+)"/.exec((await owner.browser.get('/owner/agents')).text)?.[1] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec((await other.browser.get('/owner/agents')).text)?.[1] ?? '';

  expect((await owner.browser.post(action, {})).status).toBe(403);
  expect((await other.browser.post(action, { csrf })).status).toBe(303);
  expect((await callTool(world, tokens.access, 'list_posts')).status).toBe(200);
  expect((await person.browser.press(await person.browser.get('/owner/agents'), 'Revoke')).status).toBe(303);
  expect((await person.browser.press(await person.browser.get('/owner/agents'), 'Revoke')).status).toBe(303);
  expect((await callTool(world, tokens.access, 'list_posts')).status).toBe(401);
});

it.each<[string, number, (browser: Browser) => Promise<BrowserPage>]>([
  [
    'a form of an owner that is too long',
    413,
    async () => (await signIn(world)).browser.post('/owner/agents/x/revoke', { csrf: 'x'.repeat(20_000) }),
  ],
  [
    'an answer of an owner that is too long',
    413,
    async () => (await signIn(world)).browser.post('/oauth/interaction/x', { csrf: 'x'.repeat(20_000) }),
  ],
  ['an address that is none', 400, (b) => b.get('/owner/agents/%E0%A4%A/revoke')],
  ['a request that is none', 400, (b) => b.get('/oauth/interaction/%E0%A4%A')],
  ['a malformed request id', 400, (b) => b.get('/oauth/authorize/%E0%A4%A')],
])('answers %s with a page', async (_name, expected, send) => {
  const { status, headers, text } = await send(openBrowser(world));

  expect([status, headers.get('content-type')]).toEqual([expected, 'text/html; charset=utf-8']);
  expect(text).toContain('<p>What this browser sent cannot be read. Go back and try again.</p>');
});

it('parses no form of a signed-out visitor', async () => {
  const { status, location } = await openBrowser(world).post('/owner/agents/x/revoke', { csrf: 'x'.repeat(20_000) });

  expect([status, location]).toEqual([303, '/sign-in?next=%2Fowner%2Fagents']);
});

it.each(['/owner/agents', '/oauth/interaction/x'])(
  'answers with a page when %s fails, and reveals nothing',
  async (path) => {
    await using broken = await startWorld();
    const owner = await signIn(broken);
    const asked = await owner.browser.get(authorizeUrl({ clientId: await registered(broken) }));
    await broken.sql('alter table oauth_grants rename to gone');
    await broken.sql('alter table profiles rename to gone_too');
    const address = path === '/owner/agents' ? path : (asked.location ?? '');
    const { status, headers, text } = await owner.browser.get(address);

    expect([status, headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(text).toContain('<p>Something failed on our side. Go back and try again.</p>');
    expect(text).not.toMatch(/gone|relation|select/i);
  },
);

it('requires a sign-in, and is never cached', async () => {
  const stranger = await openBrowser(world).get('/owner/agents');
  expect([stranger.status, stranger.location]).toEqual([303, '/sign-in?next=%2Fowner%2Fagents']);

  const { headers } = await person.browser.get('/owner/agents');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});
