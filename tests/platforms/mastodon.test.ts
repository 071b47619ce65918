import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlatformFailure, Published, SendPart } from '../../platforms/contract.ts';
import { plainText, sameText } from '../../platforms/mastodon/content.ts';
import { mastodon } from '../../platforms/mastodon/index.ts';
import {
  type FakeMastodon,
  type FakeMastodonAccount,
  type FakeMastodonOptions,
  startFakeMastodon,
} from './fakes/fake-mastodon.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TOKEN = 'token-of-alice';

let clock: StoppedClock;
let fake: FakeMastodon;
let alice: FakeMastodonAccount;

async function start(options: Partial<FakeMastodonOptions> = {}): Promise<void> {
  await fake?.close();
  fake = await startFakeMastodon({ now: clock.now, ...options });
  alice = fake.addAccount('alice', TOKEN);
}

beforeEach(() => {
  clock = new StoppedClock();
  return start();
});

afterEach(() => fake.close());

const io = () => testIo(clock.now);
const connect = () => mastodon.connectAccount({ instanceUrl: fake.url, accessToken: TOKEN }, io());
const creates = () => fake.calls['POST /api/v1/statuses'];
const texts = () => fake.posts().map(({ text }) => text);

type Account = Awaited<ReturnType<typeof connect>>;

function part(text: string, token = 'attempt-1', more: Partial<SendPart> = {}): SendPart {
  return { ...headPart(text, token, clock.now()), ...more };
}

/** Recovers a part whose response was lost, as the app does. */
function lookFor(account: Account, lost: SendPart): Promise<Published | PlatformFailure | null> {
  return mastodon.readBack?.(sessionOf(account), lost, io()) ?? Promise.reject(new Error('no readBack'));
}

describe('credentials', () => {
  it.each([
    [{ instanceUrl: 'https://social.example', accessToken: 'x' }, true],
    [{ instanceUrl: 'https://social.example/', accessToken: 'x' }, true],
    [{ instanceUrl: 'social.example', accessToken: 'x' }, false],
    [{ instanceUrl: 'https://social.example/@alice', accessToken: 'x' }, false],
    [{ instanceUrl: 'https://social.example', accessToken: '' }, false],
    [{ instanceUrl: 'https://social.example', accessToken: 'x', scope: 'write' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(mastodon.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the account with the limits of its server', async () => {
    await start({ maxCharacters: 1000 });

    expect(await connect()).toEqual({
      platformAccountId: `${fake.url}/${alice.id}`,
      handle: `alice@${new URL(fake.url).host}`,
      credential: { origin: fake.url, accessToken: TOKEN, accountId: alice.id },
      limits: { text: { maxLength: 1000, urlLength: 23 } },
    });
  });

  it('reads the limits of servers that have only the older instance document', async () => {
    await start({ maxCharacters: 5000, instanceVersion: 1 });

    expect((await connect()).limits).toEqual({ text: { maxLength: 5000, urlLength: 23 } });
  });

  it('keeps the platform’s limits when a server reports none', async () => {
    await start({ instanceVersion: 0 });

    expect(await connect()).toEqual({
      platformAccountId: `${fake.url}/${alice.id}`,
      handle: `alice@${new URL(fake.url).host}`,
      credential: { origin: fake.url, accessToken: TOKEN, accountId: alice.id },
    });
  });

  it.each([
    ['example.org', 'alice@example.org'],
    ['evil.example', 'alice@social.example.org'],
    ['org', 'alice@social.example.org'],
  ])('with the server’s domain %s, the account is %s', async (domain, handle) => {
    const served = { ...io(), fetch: () => Promise.resolve(Response.json({ id: '1', username: 'alice', domain })) };

    const account = await mastodon.connectAccount(
      { instanceUrl: 'https://social.example.org', accessToken: 'x' },
      served,
    );

    expect(account.handle).toBe(handle);
  });

  it('refuses an unknown token', async () => {
    alice.tokens.clear();

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'The Mastodon server does not accept this credential: The access token is invalid',
    });
  });

  it.each([
    ['an empty 401', new Response(null, { status: 401 }), 'reconnect', 'does not accept this credential: HTTP 401'],
    ['an empty 422', new Response(null, { status: 422 }), 'rejected', 'The Mastodon server refused: HTTP 422'],
    ['a page', new Response('<html>hi</html>', { status: 200 }), 'rejected', 'does not answer as a Mastodon server'],
    [
      'a page that is missing',
      new Response('<h1>404', { status: 404 }),
      'rejected',
      'does not answer as a Mastodon server',
    ],
    ['a redirect', new Response(null, { status: 301 }), 'rejected', 'does not answer as a Mastodon server'],
    ['a page of a proxy', new Response('<html>', { status: 503 }), 'unavailable', 'answered HTTP 503'],
  ])('handles %s', async (_case, response, kind, message) => {
    const served = { ...io(), fetch: () => Promise.resolve(response) };

    const failure = await failureOf(mastodon.connectAccount({ instanceUrl: fake.url, accessToken: TOKEN }, served));

    expect(failure).toEqual({ kind, message: expect.stringContaining(message) as string });
  });

  it.each([429, 503])('is unavailable when the server answers %i instead of its limits', async (status) => {
    const { fetch, ...rest } = io();
    const busy: typeof fetch = (url, init) =>
      String(url).endsWith('/instance') ? Promise.resolve(new Response('Busy', { status })) : fetch(url, init);
    const served = { ...rest, fetch: busy };

    expect(await failureOf(mastodon.connectAccount({ instanceUrl: fake.url, accessToken: TOKEN }, served))).toEqual({
      kind: 'unavailable',
      message: expect.stringContaining(`answered HTTP ${status}`) as string,
    });
  });

  it('is unavailable when the server cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('publish', () => {
  it('posts publicly and returns the URL', async () => {
    const account = await connect();

    const published = await mastodon.publish(sessionOf(account), part('hello #bells'), io());

    const [post] = fake.posts();
    expect(published).toEqual({ platformPostId: post?.id, url: `${fake.url}/@alice/${post?.id}` });
    expect(post).toMatchObject({ text: 'hello #bells', visibility: 'public', inReplyToId: null });
  });

  it('links replies to their parent', async () => {
    const session = sessionOf(await connect());
    const root = await mastodon.publish(session, part('one', '1'), io());

    await mastodon.publish(session, part('two', '2', { step: 'reply', root, parent: root }), io());

    expect(fake.posts().map(({ inReplyToId }) => inReplyToId)).toEqual([null, root.platformPostId]);
  });

  it('keeps one post when the response to the create call is lost and the call is repeated', async () => {
    const session = sessionOf(await connect());
    const head = part('once');
    fake.faults.push('drops_after');
    const first = await failureOf(mastodon.publish(session, head, io()));
    clock.advance(mastodon.recovery.repeatWithinMs - 1);

    const repeated = await mastodon.publish(session, head, io());

    expect(first).toEqual({ kind: 'unknown', message: `${new URL(fake.url).host} did not answer completely.` });
    expect(fake.posts().map(({ id }) => id)).toEqual([repeated.platformPostId]);
    expect(creates()).toBe(2);
  });

  it('posts the same text twice for two parts', async () => {
    const session = sessionOf(await connect());

    await mastodon.publish(session, part('again', '1'), io());
    await mastodon.publish(session, part('again', '2'), io());

    expect(texts()).toEqual(['again', 'again']);
  });

  it.each(['fails_after', 'drops_after'] as const)('finds the post when the call %s', async (fault) => {
    const account = await connect();
    const head = part('there <b> & "so" https://example.com/a/rather/long/path/to/read?x=1&y=2 #bells\n\nnew\nline');
    fake.faults.push(fault);

    const { kind } = await failureOf(mastodon.publish(sessionOf(account), head, io()));
    clock.advance(40_000);

    const [post] = fake.posts();
    expect(kind).toBe('unknown');
    expect(await lookFor(account, head)).toEqual({ platformPostId: post?.id, url: `${fake.url}/@alice/${post?.id}` });
    expect(creates()).toBe(1);
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no post when the call %s', async (fault) => {
    const account = await connect();
    const head = part('not there');
    fake.faults.push(fault);

    const { kind } = await failureOf(mastodon.publish(sessionOf(account), head, io()));

    expect(kind).toBe('unknown');
    expect(await lookFor(account, head)).toBeNull();
    expect(texts()).toEqual([]);
  });

  it('is unavailable when the server asks to wait', async () => {
    const session = sessionOf(await connect());
    fake.faults.push('rate_limited');

    expect(await failureOf(mastodon.publish(session, part('later'), io()))).toEqual({
      kind: 'unavailable',
      message: 'The Mastodon server answered HTTP 429, asking to wait 30 s; nothing was posted.',
    });
  });

  it.each([
    ['a number', '3600', 3_600],
    ['a large number', '1000000000', 1_000_000_000],
    ['a fraction', '3599.5', 3_600],
    ['an HTTP date', 'Sat, 21 Nov 2026 10:00:00 GMT', 3_600],
    ['a date in the past', 'Sat, 21 Nov 2026 08:00:00 GMT', undefined],
    ['something else', 'soon', undefined],
  ])('waits for as long as %s in Retry-After asks', async (_form, value, seconds) => {
    const session = sessionOf(await connect());
    const headers = { 'retry-after': value };
    fake.answers['POST /api/v1/statuses'] = [{ status: 429, json: { error: 'Too many requests' }, headers }];

    await expect(mastodon.publish(session, part('later'), io())).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs: (seconds ?? 60) * 1_000,
    });
  });

  it('is rejected with the server’s message', async () => {
    const session = sessionOf(await connect());

    expect(await failureOf(mastodon.publish(session, part('x'.repeat(501)), io()))).toEqual({
      kind: 'rejected',
      message: 'The Mastodon server refused: Validation failed: Text character limit of 500 exceeded',
    });
  });

  it('is rejected when the parent of a reply no longer exists', async () => {
    const session = sessionOf(await connect());
    const parent = { platformPostId: '404', url: null };

    expect(
      await failureOf(mastodon.publish(session, part('two', '2', { step: 'reply', root: parent, parent }), io())),
    ).toEqual({ kind: 'rejected', message: 'The Mastodon server refused: Record not found' });
  });

  it('needs reconnecting when the token was revoked', async () => {
    const session = sessionOf(await connect());
    alice.tokens.clear();

    expect(await failureOf(mastodon.publish(session, part('hello'), io()))).toMatchObject({ kind: 'reconnect' });
    expect(texts()).toEqual([]);
  });
});

describe('readBack', () => {
  it('does not match an older status with the same text', async () => {
    const account = await connect();
    await mastodon.publish(sessionOf(account), part('good morning', '1'), io());
    clock.advance(6_000);

    expect(await lookFor(account, part('good morning', '2'))).toBeNull();
  });

  it('does not match a status at another place in the thread', async () => {
    const account = await connect();
    const root = await mastodon.publish(sessionOf(account), part('same', '1'), io());

    expect(await lookFor(account, part('same', '2', { step: 'reply', root, parent: root }))).toBeNull();
  });

  it('matches the first of two statuses with the same text', async () => {
    const account = await connect();
    const lost = part('again', '1');
    const first = await mastodon.publish(sessionOf(account), lost, io());
    clock.advance(60_000);
    await mastodon.publish(sessionOf(account), part('again', '2'), io());

    expect(await lookFor(account, lost)).toEqual(first);
  });

  it.each([-3_600_000, -1_000, 1_000, 3_600_000])(
    'works with a server whose clock differs by %i ms',
    async (clockAheadMs) => {
      await start({ clockAheadMs });
      const account = await connect();
      const lost = part('good morning', '2');
      clock.advance(2_000);
      const made = await mastodon.publish(sessionOf(account), lost, io());
      clock.advance(30_000);

      expect(await lookFor(account, lost)).toEqual(made);
      expect(await lookFor(account, part('good morning', '3'))).toBeNull();
    },
  );

  it.each([
    [-30_000, true],
    [-90_000, false],
    [3_600_000, true],
  ])(
    'with a server that does not report its time and differs by %i ms, finding the post is %s',
    async (clockAheadMs, isFound) => {
      await start({ clockAheadMs });
      const account = await connect();
      const lost = part('good morning');
      await mastodon.publish(sessionOf(account), lost, io());
      const timeless = {
        ...io(),
        fetch: async (url: string | URL, init = {}) => {
          const response = await io().fetch(url, init);
          return new Response(await response.text(), { status: response.status });
        },
      };

      const found = await mastodon.readBack?.(sessionOf(account), lost, timeless);

      expect(found !== null).toBe(isFound);
    },
  );

  it.each([
    ['is unavailable', 503, 'The Mastodon server answered HTTP 503.'],
    ['is not shown by the server', 404, 'The Mastodon server does not show the source of a status: HTTP 404.'],
    ['may not be read with the token', 403, 'The Mastodon server does not show the source of a status: HTTP 403.'],
  ])('cannot determine the outcome when the source text %s', async (_case, status, message) => {
    await start({ markup: true });
    const account = await connect();
    const lost = part('so *loud* a bell');
    await mastodon.publish(sessionOf(account), lost, io());
    const without = {
      ...io(),
      fetch: (url: string | URL, init = {}) =>
        String(url).endsWith('/source') ? Promise.resolve(new Response('', { status })) : io().fetch(url, init),
    };

    const call = mastodon.readBack?.(sessionOf(account), lost, without) ?? Promise.resolve();

    expect(await failureOf(call)).toEqual({ kind: 'unknown', message });
  });

  it('compares the source text if a server reads asterisks as markup', async () => {
    await start({ markup: true });
    const account = await connect();
    const lost = part('so *loud* a bell');
    const made = await mastodon.publish(sessionOf(account), lost, io());

    expect(await lookFor(account, lost)).toEqual(made);
    expect(await lookFor(account, part('so *quiet* a bell'))).toBeNull();
  });

  it('cannot determine the outcome when the account has more new statuses than one list', async () => {
    const account = await connect();
    const lost = part('buried');
    for (let index = 0; index < 40; index += 1) {
      await mastodon.publish(sessionOf(account), part(`${index}`, `n${index}`), io());
    }

    expect(await failureOf(lookFor(account, lost))).toEqual({
      kind: 'unknown',
      message: 'The account has more new statuses than its Mastodon server lists.',
    });
  });

  it('cannot determine the outcome with an invalid token', async () => {
    const account = await connect();
    alice.tokens.clear();

    expect(await failureOf(lookFor(account, part('x')))).toMatchObject({ kind: 'reconnect' });
  });
});

describe('remove', () => {
  it('deletes a post, and succeeds again on a repeat', async () => {
    const session = sessionOf(await connect());
    const published = await mastodon.publish(session, part('short-lived'), io());

    await mastodon.remove?.(session, published, io());
    await mastodon.remove?.(session, published, io());

    expect(texts()).toEqual([]);
    expect(fake.calls['DELETE /api/v1/statuses/:id']).toBe(2);
  });

  it('is unavailable when the server cannot be reached', async () => {
    const session = sessionOf(await connect());
    const published = await mastodon.publish(session, part('short-lived'), io());
    await fake.close();

    expect(await failureOf(mastodon.remove?.(session, published, io()) ?? Promise.resolve())).toMatchObject({
      kind: 'unavailable',
    });
  });
});

describe('content', () => {
  it.each([
    ['<p>a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#x27; &apos;f&apos;</p>', `a & b <c> "d" 'e' 'f'`],
    ['<p>one</p><p>two<br>three<br />four</p>', 'one\ntwo\nthree\nfour'],
    ['<a href="https://x.example/?a=1&amp;b"><span class="invisible">https://</span>x</a>', 'https://x'],
    ['&#128276;&unknown;&#99999999;', '🔔&unknown;&#99999999;'],
    ['&amp;lt;', '&lt;'],
  ])('reads %j', (html, text) => {
    expect(plainText(html)).toBe(text);
  });

  it.each([
    ['signs that open tags', '<'.repeat(2_000_000), '<'.repeat(2_000_000)],
    ['paragraphs without an end', '</p><p'.repeat(500_000), '<p'.repeat(500_000)],
  ])('reads megabytes of %s at once', (_what, html, text) => {
    expect(plainText(html) === text).toBe(true);
  });

  it.each([
    ['a\n\nb', 'a b', true],
    ['ab', 'a b', true],
    ['e\u0301', 'é', true],
    ['hi @bob@social.example!', 'hi @bob!', true],
    ['hi @bob', 'hi @bobby', false],
    ['Hello', 'hello', false],
  ])('compares %j with %j', (one, other, same) => {
    expect(sameText(one, other)).toBe(same);
  });
});
