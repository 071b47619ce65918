/** The sandbox's public pages: what everyone sees of a sandbox account, and what stays private. */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057';

interface Sent {
  readonly postId: string;
  /** Path of the post's page. */
  readonly path: string;
}

async function send(text: string, slug = world.sandboxSlug): Promise<Sent> {
  world.clock.advance(1);
  const { body } = await world.rest('POST /posts', { body: { text, connectionSlugs: [slug] } });
  const [result] = body.results;
  return { postId: result.postId, path: new URL(result.url).pathname };
}

async function read(path: string): Promise<{ status: number; text: string; type: string | null; csp: string | null }> {
  const response = await fetch(world.url + path);
  const { status, headers } = response;
  return {
    status,
    text: await response.text(),
    type: headers.get('content-type'),
    csp: headers.get('content-security-policy'),
  };
}

/** Texts of the posts on a page, in page order, as written in the HTML. */
function texts(page: string): string[] {
  return [...page.matchAll(/<p class="post-text" dir="auto">([^]*?)<\/p>/g)].map(([, text]) => text as string);
}

/** A separate sandbox account, as slug. */
async function newAccount(): Promise<string> {
  const { slug } = await connectSandbox(world);
  return slug;
}

describe('a post', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    [`"><img src=x onerror='alert(1)'>`, '&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;'],
    ['</p></main><!-- &amp; ${x} `y`', '&lt;/p&gt;&lt;/main&gt;&lt;!-- &amp;amp; ${x} `y`'],
    ['line one\n\n  line two', 'line one\n\n  line two'],
    ['\u202Eright to left', '\u202Eright to left'],
  ])('escapes %j', async (text, shown) => {
    const { path } = await send(text);

    const { status, text: page } = await read(path);

    expect([status, texts(page)]).toEqual([200, [shown]]);
  });

  it('does not reveal its account', async () => {
    const { path, postId } = await send('A lost post');

    const { text } = await read(path);

    const ids = await world.sql<{ id: string }>(
      'select id from accounts union select id from api_keys union select id from connections',
    );
    expect([postId, ...ids.map(({ id }) => id), 'crl_'].filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('is gone, not unknown, after it is taken down', async () => {
    const { postId, path } = await send('Not for long');
    await world.rest(`DELETE /posts/${postId}`);

    const page = await read(path);

    expect(page.status).toBe(410);
    expect(page.type).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('taken down');
    expect(page.text).not.toContain('Not for long');
  });

  it.each([
    ['an unknown post', (path: string) => path.replace(/[^/]+$/, UNKNOWN)],
    ['an unknown account', (path: string) => path.replace(/\/sandbox\/[^/]+/, `/sandbox/${UNKNOWN}`)],
    ['a malformed post', (path: string) => `${path}x`],
    ['a malformed account', (path: string) => path.replace('/sandbox/', '/sandbox/x')],
    ['SQL', (path: string) => path.replace(/[^/]+$/, encodeURIComponent("' or true --"))],
    ['markup', (path: string) => path.replace(/[^/]+$/, encodeURIComponent('"><script>alert(1)'))],
    ['a NUL', (path: string) => path.replace(/[^/]+$/, '%00')],
  ])('is a page with status 404 for %s', async (_case, change) => {
    const { path } = await send('Here');

    const page = await read(change(path));

    expect([page.status, page.type]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.csp).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(page.text).toContain('There is no such');
    expect(page.text).not.toContain('<script');
  });
});

describe('a timeline', () => {
  const timelineOf = ({ path }: Sent) => path.slice(0, path.lastIndexOf('/'));

  it('shows the account’s own posts, newest first, each with its permalink', async () => {
    const [slug, other] = [await newAccount(), await newAccount()];
    const sent = [await send('one', slug), await send('two', slug)];
    await send('of another account', other);

    const { text } = await read(timelineOf(sent[0] as Sent));

    expect(texts(text)).toEqual(['two', 'one']);
    expect(sent.filter(({ path }) => !text.includes(`href="${path}"`))).toEqual([]);
  });

  it('omits deleted posts, and remains when none is left', async () => {
    const slug = await newAccount();
    const [kept, removed] = [await send('kept', slug), await send('removed', slug)];

    await world.rest(`DELETE /posts/${removed.postId}`);
    const withOne = await read(timelineOf(kept));
    await world.rest(`DELETE /posts/${kept.postId}`);
    const withNone = await read(timelineOf(kept));

    expect(texts(withOne.text)).toEqual(['kept']);
    expect([withNone.status, texts(withNone.text)]).toEqual([200, []]);
    expect(withNone.text).toContain('There are no posts here at present.');
  });

  it('has fifty posts per page, and every post on exactly one', async () => {
    const slug = await newAccount();
    const sent: Sent[] = [];
    for (let number = 1; number <= 101; number += 1) sent.push(await send(`number ${number}`, slug));
    const seen: string[][] = [];

    let next: string | undefined = timelineOf(sent[0] as Sent);
    while (next !== undefined) {
      const { text } = await read(next);
      seen.push(texts(text));
      next = /<a rel="next" href="([^"]+)"/.exec(text)?.[1];
    }

    expect(seen.map((page) => page.length)).toEqual([50, 50, 1]);
    expect(seen.flat()).toEqual(sent.map((_, index) => `number ${101 - index}`));
  });

  it("cannot be paginated with an id that is not a post's", async () => {
    const sent = await send('Here');
    const pages = ['before=x', `before=${UNKNOWN}&before=${UNKNOWN}`, "before='", 'before='];

    const answers = await Promise.all(pages.map((search) => read(`${timelineOf(sent)}?${search}`)));

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('does not exist for an account that never posted', async () => {
    await newAccount();

    const { status } = await read(`/sandbox/${UNKNOWN}`);

    expect(status).toBe(404);
  });
});
