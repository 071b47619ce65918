/** /owner/activity: the operations in an account, for its owner only, newest first, page by page. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { openBrowser } from '../../harness/browser.ts';
import { UNKNOWN_ID } from '../../harness/expected.ts';
import { EMAIL, OWNER_ENV, signedInBrowser } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const operationsOn = (text: string) =>
  [...text.matchAll(/<li>\s*<p><code>([^<]+)<\/code>: (.*?)<\/p>/g)].map(([, operation, outcome]) => [
    operation,
    outcome?.replace(/<\/?code>/g, ''),
  ]);

describe('the page', () => {
  it('requires a sign-in', async () => {
    await using world = await startWorld({ env: OWNER_ENV });

    const page = await openBrowser(world).get('/owner/activity');

    expect([page.status, page.location]).toEqual([303, '/sign-in?next=%2Fowner%2Factivity']);
  });

  it('shows actor, operation, object, outcome and time, newest first, and nothing of another account', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const other = await makeAccount(world);
    await world.rest('POST /webhooks', { key: other.key, body: {} });
    await world.rest('POST /profiles', { body: { name: 'A' } });
    await world.rest(`DELETE /profiles/${UNKNOWN_ID}`);
    const browser = await signedInBrowser(world);

    const { status, text, headers } = await browser.get('/owner/activity');

    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(operationsOn(text)).toEqual([
      ['owner.signIn', 'done'],
      ['profiles.delete', 'refused, not_found'],
      ['profiles.create', 'done'],
      ['owner.setUp', 'done'],
    ]);
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain(`Person <strong>${EMAIL}</strong> (console)`);
    expect(words).toMatch(/API key <strong>[^<]+<\/strong> \(rest\)/);
    expect(words).toContain('> Operator (operator) <');
    expect(words).toContain(`profile <code>${UNKNOWN_ID}</code>`);
    expect(words).toContain(`<time datetime="${world.clock.now().toISOString()}">`);
    expect(text).not.toContain('>Older</a>');
    expect((await browser.get('/owner')).text).toContain('<a class="way" href="/owner/activity">Activity</a>');
  });

  it('escapes names, and shows the number of objects', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const browser = await signedInBrowser(world);
    await world.sql("update api_keys set name = '<b>bold</b>'");
    const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug, world.sandboxSlug] };
    const { status } = await world.rest('POST /posts', { body });
    await world.sql(
      `update audit_entries set object_ids = array[id, id, id], outcome = null where operation = 'posts.create'`,
    );

    const { text } = await browser.get('/owner/activity');

    expect(status).toBe(200);
    expect(text).toContain('<strong>&lt;b&gt;bold&lt;/b&gt;</strong>');
    expect(text).toContain('and 2 more');
    expect(operationsOn(text)[0]).toEqual(['posts.create', 'not known to have ended']);
  });

  it('shows fifty entries, and links to older ones until there are none', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const browser = await signedInBrowser(world);
    for (let made = 0; made < 60; made += 1) await world.rest('POST /profiles', { body: { name: `P${made}` } });

    const first = await browser.get('/owner/activity');
    const [, older = ''] = /<a class="way" href="([^"]+)">Older<\/a>/.exec(first.text) ?? [];
    const second = await browser.get(older);

    expect(operationsOn(first.text)).toHaveLength(50);
    expect(operationsOn(second.text)).toHaveLength(12);
    expect(second.text).not.toContain('>Older</a>');
    expect(second.text).toContain('<a class="way" href="/owner/activity">Newest</a>');
    expect((await browser.get(`/owner/activity?before=${UNKNOWN_ID}`)).text).toContain('There is nothing older.');
    expect(operationsOn((await browser.get('/owner/activity?before=%27x')).text)).toHaveLength(50);
  });
});
