/** All platforms offline: an install that starts with the printed settings reaches all fifteen. */
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { PLATFORM_IDS } from '../../platforms/registry.ts';
import { openBrowser } from '../harness/browser.ts';
import { decide, destination, makeLink } from '../harness/connect-links.ts';
import { plain } from '../harness/images.ts';
import { START } from '../harness/test-clock.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { asCurl, asShell, startDevPlatforms } from './servers/dev-platforms.ts';

const platforms = await startDevPlatforms({
  now: () => START,
  publicUrl: PUBLIC_URL,
  reach: (url) => url.replace(PUBLIC_URL, world.url),
});
afterAll(() => platforms[Symbol.asyncDispose]());
const world: World = await startWorld({ env: platforms.env });

describe('all platforms offline', () => {
  it('offer an account on every platform', () => {
    expect(platforms.connections.map(({ platformId }) => platformId)).toEqual([...PLATFORM_IDS]);
  });

  it('accept a post with an image, and list what they received', async () => {
    for (const body of platforms.connections) {
      const { status, body: made } = await world.rest('POST /connections', { body });
      expect([status, made.connection?.slug]).toEqual([200, body.slug]);
    }
    const raw = await plain(40, 40).png().toBuffer();
    const { body: uploaded } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
    const [text, slugs] = ['To everybody', platforms.connections.map(({ slug }) => slug)];
    const pictured = slugs.filter((slug) => slug !== 'sms');

    const answers = await Promise.all([
      world.rest('POST /posts', { body: { text, connectionSlugs: pictured, mediaIds: [uploaded.media.id] } }),
      world.rest('POST /posts', { body: { text, connectionSlugs: ['sms'] } }),
    ]);

    const results = answers.flatMap(({ body }) => body.results as { status: string; error: unknown }[]);
    expect(results.map(({ status, error }) => [status, error])).toEqual(PLATFORM_IDS.map(() => ['sent', null]));
    const listed: unknown = await (await fetch(platforms.listUrl)).json();
    expect(listed).toEqual(Object.fromEntries(platforms.servers.map(({ platformId }) => [platformId, [text]])));
  });

  it('include a model that polishes texts', async () => {
    const { body } = await world.rest('POST /posts', {
      body: { text: 'Helo', connectionSlugs: ['bluesky'], rewrite: true },
    });

    const { body: read } = await world.rest(`GET /posts/${body.results[0].postId}`);
    expect(read.post).toMatchObject({ text: 'Polished Helo', originalText: 'Helo', aiRewriteStatus: 'rewritten' });
  });

  it.each(['facebook', 'instagram', 'threads', 'x', 'reddit', 'slack'])(
    'let a customer consent on the page of %s',
    async (platform) => {
      const link = await makeLink(world, { platform });
      const browser = openBrowser(world);

      const end = await browser.get(await decide(await browser.get(link.path)));

      expect(destination(end.location)[1]).toMatchObject({ platform });
    },
  );

  it.each([
    ['bluesky', 'Continue to your server'],
    ['discord', 'Choose a channel on Discord'],
  ])('let a customer consent through the second method of %s', async (platform, button) => {
    const link = await makeLink(world, { platform });
    const browser = openBrowser(world);
    const away = await browser.press(await browser.get(link.path), button);

    const answer = await fetch(away.location ?? '', { redirect: 'manual' });
    const { pathname, search } = new URL(answer.headers.get('location') ?? '');
    const end = await browser.get(pathname + search);

    expect(destination(end.location)[1]).toMatchObject({ platform });
  });

  it('let a customer enter their Mastodon server, and consent there', async () => {
    const link = await makeLink(world, { platform: 'mastodon' });
    const browser = openBrowser(world);
    const Server = platforms.connections.find(({ slug }) => slug === 'mastodon')?.credentials['instanceUrl'] ?? '';

    const away = await browser.press(await browser.get(link.path), 'Connect', { Server });
    const end = await browser.get(await decide(away));

    expect(destination(end.location)[1]).toMatchObject({ platform: 'mastodon' });
  });

  it('let a customer choose between their own profile and their page on LinkedIn', async () => {
    const link = await makeLink(world, { platform: 'linkedin' });
    const browser = openBrowser(world);

    const back = await browser.get(await decide(await browser.get(link.path)));
    const end = await browser.press(await browser.get(back.location ?? ''), 'The Bells');

    expect(destination(end.location)[1]).toMatchObject({ platform: 'linkedin' });
  });
});

describe('the printed output', () => {
  it('contains settings that a shell can read unchanged', () => {
    const env = { A: "it's $HOME `ls`", B: 'two words' };

    const read = execFileSync('sh', ['-c', `set -a\n${asShell(env)}\nenv`]).toString();

    expect(
      read
        .split('\n')
        .filter((line) => /^[AB]=/.test(line))
        .toSorted(),
    ).toEqual([`A=${env.A}`, `B=${env.B}`]);
  });

  it('contains one call per account', () => {
    const connection = { platformId: 'sms', credentials: { to: '+15550100123' }, slug: 'sms' };

    expect(asCurl(connection, PUBLIC_URL).split(' \\\n')).toEqual([
      'curl -s http://localhost:3000/api/v2/connections',
      `  -H "x-api-key: $CARILLON_KEY" -H 'content-type: application/json'`,
      `  -d '{"platformId":"sms","credentials":{"to":"+15550100123"},"slug":"sms"}'`,
    ]);
  });
});
