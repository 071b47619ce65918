/** Feeds: their new items become posts once, politely, and as plain text. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { feeds as loop } from '../../../jobs/feeds.ts';
import { runRound } from '../../../jobs/run-round.ts';
import { parseFeed } from '../../../services/feeds/parse-feed.ts';
import { whenOver } from '../../harness/closing.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { refusal, UUID } from '../../harness/expected.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const world = await startWorld();
const HOUR_MS = 3_600_000;

// eslint-disable-next-line typescript/no-explicit-any -- answers of the API
type Answer = any;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of a feed whose answer a test sets, with the requests that it got. */
async function startFeedServer() {
  const requests: IncomingMessage['headers'][] = [];
  const served: { respond: Respond } = { respond: (_request, response) => response.writeHead(404).end() };
  const server = createServer((request, response) => {
    requests.push(request.headers);
    served.respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenOver(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
  const serve = (body: string | Buffer, headers: Record<string, string> = {}) => {
    served.respond = (_request, response) => response.writeHead(200, headers).end(body);
  };
  return { url, requests, serve, respondWith: (respond: Respond) => (served.respond = respond) };
}

interface Item {
  guid?: string;
  title?: string;
  link?: string;
  description?: string;
  at?: number;
}

/** An RSS document; items are published now unless they say otherwise. */
function rss(items: readonly Item[]): string {
  const date = (at: number) => new Date(world.clock.now().getTime() + at).toUTCString();
  const xml = items.map(({ guid, title = 'Ding', link, description, at = 1_000 }) =>
    [
      '<item>',
      guid === undefined ? '' : `<guid isPermaLink="false">${guid}</guid>`,
      `<title>${title}</title>`,
      link === undefined ? '' : `<link>${link}</link>`,
      description === undefined ? '' : `<description>${description}</description>`,
      `<pubDate>${date(at)}</pubDate></item>`,
    ].join(''),
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Bells</title>${xml.join('')}</channel></rss>`;
}

/** In UTF-16, little endian. */
function utf16(mark: string, xml: string): Buffer {
  return Buffer.from(mark + xml, 'utf16le');
}

async function addFeed(body: object = {}) {
  const server = await startFeedServer();
  const account = await accountWithSandbox(world);
  const { key } = account;
  const request = { url: server.url, connectionSlugs: ['sandbox'], ...body };
  const answer = await world.rest('POST /feeds', { key, body: request });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const { id } = answer.body.feed;
  const read = async (): Promise<Answer> => (await world.rest(`GET /feeds/${id}?limit=100`, { key })).body;
  const texts = async (): Promise<string[]> =>
    (await world.rest('GET /posts?limit=100', { key })).body.posts.map(({ text }: Answer) => text).toReversed();
  const poll = async () => world.advance(HOUR_MS);
  /** Begins a poll that waits for its answer; what it gives answers it, and waits for its end. */
  const beginPoll = async () => {
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    server.respondWith((_request, response) => {
      asked.resolve();
      void answered.promise.then((document) => response.writeHead(200).end(document));
    });
    const round = runRound(world.context, loop, new AbortController().signal);
    await asked.promise;
    return async (document: string) => {
      answered.resolve(document);
      await round;
    };
  };
  return { ...account, ...server, accountId: account.id, id, feed: answer.body.feed, read, texts, poll, beginPoll };
}

describe('POST /feeds/preview', () => {
  it('says what the newest item would become, and stores nothing', async () => {
    const { key } = await accountWithSandbox(world);
    const { url, serve } = await startFeedServer();
    const link = 'https://bells.example/new';
    serve(
      rss([
        { guid: '2', title: 'New', link, description: '<b>Bronze</b>' },
        { guid: '1', title: 'Old' },
      ]),
    );

    const body = { url, template: '{title}: {summary} {link}' };
    const answer = await world.rest('POST /feeds/preview', { key, body });

    const publishedAt = new Date(Math.floor(world.clock.now().getTime() / 1_000 + 1) * 1_000).toISOString();
    const newest = { title: 'New', link, summary: 'Bronze', publishedAt, text: `New: Bronze ${link}` };
    expect(answer.body).toEqual({ preview: { problem: null, items: 2, newest } });
    expect((await world.rest('GET /feeds', { key })).body.feeds).toEqual([]);
    expect((await world.rest('GET /posts', { key })).body.posts).toEqual([]);
  });

  it.each([
    ['a refusal', (response: ServerResponse) => response.writeHead(404).end(), /answered HTTP 404\.$/],
    ['what is gone', (response: ServerResponse) => response.writeHead(410).end(), /is gone \(HTTP 410\)\.$/],
    ['a page', (response: ServerResponse) => response.end('<html></html>'), /neither RSS nor Atom\.$/],
  ])('says in words that it got %s', async (_what, respond, problem) => {
    const { url, respondWith } = await startFeedServer();
    respondWith((_request, response) => respond(response));

    const { status, body } = await world.rest('POST /feeds/preview', { body: { url } });

    expect(status).toBe(200);
    expect(body.preview).toEqual({ problem: expect.stringMatching(problem), items: 0, newest: null });
  });

  it('has no newest item for a feed without items', async () => {
    const { url, serve } = await startFeedServer();
    serve(rss([]));

    const { body } = await world.rest('POST /feeds/preview', { body: { url } });

    expect(body.preview).toEqual({ problem: null, items: 0, newest: null });
  });

  it('never reaches a private network', async () => {
    await using install = await startWorld({ env: { OUTBOUND_ALLOW: '' } });
    const { url, requests } = await startFeedServer();

    const { body } = await install.rest('POST /feeds/preview', { body: { url } });

    expect(requests).toEqual([]);
    expect(body.preview.problem).toMatch(/\.$/);
  });
});

describe('POST /feeds', () => {
  it('stores drafts of new items, polled every hour, unless it is told otherwise', async () => {
    const { id, feed, url } = await addFeed();

    const at = world.clock.now().toISOString();
    expect(feed).toEqual({
      id: UUID,
      url,
      connectionSlugs: ['sandbox'],
      profileId: null,
      template: '{title}\n\n{link}',
      delivery: 'draft',
      intervalMinutes: 60,
      mode: 'live',
      enabled: true,
      disabledAt: null,
      disabledReason: null,
      createdAt: at,
      nextPollAt: at,
      lastPolledAt: null,
      lastOkAt: null,
      lastError: null,
    });
    expect(id).toBe(feed.id);
  });

  it.each([
    ['another scheme', { url: 'file:///etc/passwd' }, 'invalid_request'],
    ['a user', { url: 'https://a:b@bells.example/feed' }, 'invalid_request'],
    ['an unknown connection', { connectionSlugs: ['nobody'] }, 'invalid_connection'],
    ['a template without placeholder', { template: 'Ding' }, 'invalid_request'],
    ['an interval of a minute', { intervalMinutes: 1 }, 'invalid_request'],
  ])('refuses %s', async (_case, fields, code) => {
    const { key } = await accountWithSandbox(world);
    const body = { url: 'https://bells.example/feed', connectionSlugs: ['sandbox'], ...fields };

    const answer = await world.rest('POST /feeds', { key, body });

    expect([answer.status, answer.body]).toMatchObject([400, refusal(code as 'invalid_request', expect.any(String))]);
  });
});

describe('a new item', () => {
  it('becomes a draft in plain text, in the order of publication, and never twice', async () => {
    const { serve, texts, poll, read } = await addFeed({ template: '{title} {link}\n\n{summary}' });
    const first = {
      guid: '1',
      title: 'One &amp;amp; only',
      link: 'https://bells.example/1?a=1&amp;b=2',
      description:
        '&lt;p&gt;Hello &lt;b&gt;bells&lt;/b&gt;&lt;script&gt;x()&lt;/script&gt;&lt;/p&gt;&lt;p&gt;{title}&lt;/p&gt;',
    };
    serve(rss([{ guid: '2', title: 'Two', link: 'https://bells.example/2' }, first]));

    await poll();
    await poll();

    expect(await texts()).toEqual([
      'One & only https://bells.example/1?a=1&b=2\n\nHello bells\n\n{title}',
      'Two https://bells.example/2',
    ]);
    const { items } = await read();
    expect(items).toEqual([
      {
        id: UUID,
        title: 'Two',
        link: 'https://bells.example/2',
        status: 'created',
        postIds: [UUID],
        error: null,
        createdAt: expect.any(String),
      },
      {
        id: UUID,
        title: 'One & only',
        link: 'https://bells.example/1?a=1&b=2',
        status: 'created',
        postIds: [UUID],
        error: null,
        createdAt: expect.any(String),
      },
    ]);
  });

  it('is known by its guid and by its link', async () => {
    const { serve, texts, poll } = await addFeed();
    serve(
      rss([
        { guid: '1', title: 'A', link: 'https://bells.example/a' },
        { title: 'B', link: 'https://bells.example/b' },
      ]),
    );
    await poll();
    serve(
      rss([
        { guid: '1', title: 'A moved', link: 'https://bells.example/moved' },
        { guid: 'new', title: 'A renamed', link: 'https://bells.example/a' },
        { title: 'B again', link: 'https://bells.example/b' },
      ]),
    );

    await poll();

    expect(await texts()).toEqual(['B\n\nhttps://bells.example/b', 'A\n\nhttps://bells.example/a']);
  });

  it('stays known when its site changes links first and guids later, or guids first', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    const [ding, dong] = [{ title: 'Ding' }, { title: 'Dong' }];
    const [http, https] = ['http://bells.example', 'https://bells.example'];
    serve(
      rss([
        { ...ding, guid: '1', link: `${http}/1` },
        { ...dong, guid: '2', link: `${http}/2` },
      ]),
    );
    await poll();
    serve(
      rss([
        { ...ding, guid: '1', link: `${https}/1` },
        { ...dong, guid: 'post-2', link: `${http}/2` },
      ]),
    );
    await poll();
    serve(
      rss([
        { ...ding, guid: 'post-1', link: `${https}/1` },
        { ...dong, guid: 'post-2', link: `${https}/2` },
      ]),
    );

    await poll();

    expect((await texts()).toSorted()).toEqual(['Ding', 'Dong']);
  });

  it('stays known beside one that has its old link, however often both are read', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    const [old, moved] = ['https://bells.example/a', 'https://bells.example/moved'];
    const both = rss([
      { guid: '1', title: 'A', link: moved },
      { guid: 'new', title: 'A renamed', link: old },
    ]);
    serve(rss([{ guid: '1', title: 'A', link: old }]));
    await poll();

    for (let times = 0; times < 3; times += 1) {
      serve(both);
      await poll();
    }
    serve(rss([{ guid: 'newer', title: 'A renamed', link: old }]));
    await poll();

    expect(await texts()).toEqual(['A']);
  });

  it('is known by its guid alone where several items of the document have its link', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    const link = 'https://bells.example/show';
    serve(rss([{ guid: '1', title: 'Episode 1', link }]));
    await poll();
    const [second, third] = [
      { guid: '2', title: 'Episode 2', link },
      { guid: '3', title: 'Episode 3', link },
    ];
    serve(rss([third, second, { guid: '1', title: 'Episode 1', link }]));

    await poll();
    await poll();

    expect(await texts()).toEqual(['Episode 1', 'Episode 2', 'Episode 3']);
  });

  it('is known by its guid alone also when it is the only one left of several that have its link', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    const link = 'https://bells.example/status';
    const [a, b, c] = ['A', 'B', 'C'].map((title) => ({ guid: title, title, link })) as [Item, Item, Item];

    for (const items of [[a, b], [c], [c, b, a]]) {
      serve(rss(items));
      await poll();
    }

    expect((await texts()).toSorted()).toEqual(['A', 'B', 'C']);
  });

  const [FIRST, SECOND, THIRD] = ['http://bells.example/1', 'https://bells.example/1', 'https://www.bells.example/1'];
  it.each<[string, readonly Item[]]>([
    [
      'its link has become its guid',
      [
        { guid: '1', link: FIRST },
        { guid: FIRST, link: SECOND },
        { guid: FIRST, link: THIRD },
      ],
    ],
    [
      'its guid has become its link',
      [
        { guid: SECOND, link: FIRST },
        { guid: 'new', link: SECOND },
        { guid: 'newest', link: SECOND },
      ],
    ],
    ['it has lost its guid', [{ guid: '1', link: FIRST }, { link: FIRST }, { guid: '1', link: SECOND }]],
  ])('stays known when %s, and it changes again', async (_what, documents) => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });

    for (const item of documents) {
      serve(rss([item]));
      await poll();
    }

    expect(await texts()).toEqual(['Ding']);
  });

  it('takes a slot of the queue when the feed says so', async () => {
    const { serve, key, connection, poll, read } = await addFeed({ delivery: 'queue' });
    const slots = [1, 2, 3].map((weekday) => ({ weekday, time: '09:00' }));
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { timezone: 'UTC', slots } });
    serve(rss([{ guid: '1' }]));

    await poll();

    const [{ postIds }] = (await read()).items;
    expect((await world.rest(`GET /posts/${postIds[0]}`, { key })).body.post).toMatchObject({ status: 'scheduled' });
  });

  it('of before the feed was added is passed, and of the first poll without a date too', async () => {
    const { serve, texts, poll, read } = await addFeed();
    const undated = '<item><guid>u</guid><title>Undated</title></item>';
    serve(rss([{ guid: 'old', title: 'Old', at: -48 * HOUR_MS }]).replace('</channel>', `${undated}</channel>`));
    await poll();
    serve(
      rss([]).replace('</channel>', `${undated.replace('<guid>u', '<guid>v').replace('Undated', 'Later')}</channel>`),
    );
    await poll();

    expect(await texts()).toEqual(['Later']);
    expect((await read()).items.map(({ title, status }: Answer) => [title, status])).toEqual([
      ['Later', 'created'],
      ['Undated', 'passed'],
      ['Old', 'passed'],
    ]);
  });

  it('waits for the next poll when there are more than ten', async () => {
    const { serve, texts, poll } = await addFeed();
    serve(rss(Array.from({ length: 12 }, (_, index) => ({ guid: String(12 - index), title: `T${12 - index}` }))), {
      etag: '"1"',
    });

    await poll();
    expect((await texts()).length).toBe(10);
    await poll();

    expect(await texts()).toEqual(Array.from({ length: 12 }, (_, index) => `T${index + 1}`));
  });

  it('is posted in the order of publication, also of a document that begins with the oldest', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    serve(
      rss(
        Array.from({ length: 12 }, (_, index) => ({ guid: `${index}`, title: `T${index}`, at: 1_000 * (index + 1) })),
      ),
    );

    await poll();
    await poll();

    expect(await texts()).toEqual(Array.from({ length: 12 }, (_, index) => `T${index}`));
  });

  it('without title, link and summary has no text for a post, and says so', async () => {
    const { serve, texts, poll, read } = await addFeed();
    serve(rss([{ guid: '1', title: '' }]));

    await poll();

    expect((await read()).items).toMatchObject([
      {
        status: 'failed',
        error: {
          code: 'invalid_request',
          message:
            'The item has no title, link or summary, so its post would have no text. Give it one in the feed, with a new guid or id: a failed item is not tried again.',
        },
      },
    ]);
    expect(await texts()).toEqual([]);
  });

  it('is new when its date says only the day on which the feed was added, unless the first poll finds it', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    const day = world.clock.now().toISOString().slice(0, 10);
    const dated = (...guids: string[]) => {
      const items = guids.map(
        (guid) => `<item><guid>${guid}</guid><title>${guid}</title><dc:date>${day}</dc:date></item>`,
      );
      serve(rss([]).replace('</channel>', `${items.join('')}</channel>`));
    };
    dated('Old');
    await poll();
    dated('New', 'Old');

    await poll();

    expect(await texts()).toEqual(['New']);
  });

  it('becomes one post when two workers poll at once', async () => {
    const { serve, texts, id } = await addFeed();
    serve(rss([{ guid: '1' }, { guid: '2', title: 'Dong' }]));
    const round = () => runRound(world.context, loop, new AbortController().signal);
    // The second worker finds the feed due while the first one polls it.
    const first = round();
    await world.sql('update feeds set next_poll_at = created_at where id = $1', [id]);

    await Promise.all([first, round(), round()]);

    expect((await texts()).toSorted()).toEqual(['Ding', 'Dong']);
  });

  it('that cannot be posted says why, and does not hold up the others', async () => {
    const { serve, texts, poll, read } = await addFeed({ template: `${'x'.repeat(495)} {title}` });
    serve(
      rss([
        { guid: '1', title: 'Much too long' },
        { guid: '2', title: 'ok' },
      ]),
    );

    await poll();

    expect(await texts()).toEqual([`${'x'.repeat(495)} ok`]);
    const [failed] = (await read()).items;
    expect(failed).toMatchObject({
      title: 'Much too long',
      status: 'failed',
      postIds: [],
      error: { code: 'platform_rejected' },
    });
  });
});

describe('a document', () => {
  it('of Atom is read with the link to the page, and text that is text', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}|{link}|{summary}' });
    const now = new Date(world.clock.now().getTime() + 1_000).toISOString();
    serve(`<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>B</title><entry>
      <id>tag:bells,2026:1</id><title>1 &lt; 2</title><updated>${now}</updated>
      <link rel="self" href="https://bells.example/self"/><link href="https://bells.example/page?a=1&amp;b=2"/>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two &amp; three</p></div></content>
    </entry></feed>`);

    await poll();

    expect(await texts()).toEqual(['1 < 2|https://bells.example/page?a=1&b=2|One\n\nTwo & three']);
  });

  it.each(['http://www.w3.org/2005/Atom', 'http://purl.org/atom/ns#'])(
    'of Atom is read with a prefix before its names: %s',
    async (namespace) => {
      const { serve, texts, poll } = await addFeed({ template: '{title}|{link}|{summary}' });
      const now = new Date(world.clock.now().getTime() + 1_000).toISOString();
      serve(`<?xml version="1.0"?><a:feed xmlns:a="${namespace}" xmlns="urn:other"><a:title>B</a:title><a:entry>
        <a:id>tag:bells,2026:1</a:id><title>Of another vocabulary</title><a:title>1 &lt; 2</a:title><a:updated>${now}</a:updated>
        <a:link href="https://bells.example/page"/>
        <a:content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two</p></div></a:content>
      </a:entry></a:feed>`);

      await poll();

      expect(await texts()).toEqual(['1 < 2|https://bells.example/page|One\n\nTwo']);
    },
  );

  it('with relative links has them from its base, or from where it was read', async () => {
    const { serve, respondWith, texts, poll, url } = await addFeed({ template: '{title} {link}' });
    const now = new Date(world.clock.now().getTime() + 1_000).toISOString();
    const entry = (id: string, inside: string, base = '') =>
      `<entry${base}><id>tag:${id}</id><title>${id}</title><updated>${now}</updated>${inside}</entry>`;
    const atom = (base: string, entries: string[]) =>
      `<feed xmlns="http://www.w3.org/2005/Atom"${base}>${entries.join('')}</feed>`;
    const other = await startFeedServer();
    other.serve(atom('', [entry('a', '<link href="posts/a"/>'), entry('b', '<link href="//bells.example/b"/>')]));
    respondWith((_request, response) => response.writeHead(301, { location: other.url }).end());
    await poll();
    serve(
      atom(' xml:base="https://bells.example/blog/"', [
        entry('c', '<link href="c"/>'),
        entry('d', '<link href="../d"/>', ' xml:base="2026/11/"'),
        entry('e', '<link xml:base="https://tower.example/" href="/e?x=1&amp;y=2"/>'),
        entry('f', '<link href="javascript:alert(1)"/>'),
        entry('g', '<link href=""/>'),
      ]),
    );

    await poll();

    expect(new URL(url).pathname).toBe('/feed.xml');
    expect((await texts()).toSorted()).toEqual([
      `a ${new URL('/posts/a', other.url).href}`,
      'b http://bells.example/b',
      'c https://bells.example/blog/c',
      'd https://bells.example/blog/2026/d',
      'e https://tower.example/e?x=1&y=2',
      'f',
      'g',
    ]);
  });

  it('of RSS with relative links has them from the page that it names, and an id stays an id', async () => {
    const { serve, texts, poll, url } = await addFeed({ template: '{title} {link}' });
    const items = rss([
      { guid: '1', title: 'A', link: '/a' },
      { guid: '/2', title: 'B' },
    ]);
    serve(items);
    await poll();
    serve(items.replace('</title>', '</title><link>https://bells.example/blog/</link>').replace('>1<', '>3<'));

    await poll();

    expect((await texts()).toSorted()).toEqual([`A ${new URL('/a', url).href}`, 'A https://bells.example/a', 'B']);
  });

  it('of RDF has relative links from the page that it names, and words are no link', () => {
    const items = [
      '<item><title>A</title><link>a?b=1</link></item>',
      '<item><guid>1</guid><link>to follow</link></item>',
    ];
    const channel = '<channel><link>https://bells.example/blog/</link></channel>';

    const read = parseFeed(`<rdf:RDF>${channel}${items.join('')}</rdf:RDF>`, 'https://tower.example/feed');

    expect(read?.map(({ key, link }) => [key, link])).toEqual([
      ['https://bells.example/blog/a?b=1', 'https://bells.example/blog/a?b=1'],
      ['1', null],
    ]);
  });

  it('that ends in the middle of an item is read without that item', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    serve(rss([]));
    await poll();
    const whole = rss([
      { guid: '1', title: 'One' },
      { guid: '2', title: 'Two' },
    ]);
    serve(whole.slice(0, whole.indexOf('Two') + 2));
    await poll();
    serve(whole);

    await poll();

    expect(await texts()).toEqual(['One', 'Two']);
  });

  it('with a date of megabytes is read at once, without that date', () => {
    const date = '10:00:00'.repeat(200_000);
    const items = parseFeed(`<rss><channel><item><guid>1</guid><pubDate>${date}</pubDate></item></channel></rss>`);

    expect(items?.[0]).toMatchObject({ publishedAt: null });
  });

  it('expands no entities, loads nothing, and may be nested', async () => {
    const { serve, texts, poll, read } = await addFeed({ template: '{title}' });
    const doctype = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    const deep = '<x>'.repeat(200) + '</x>'.repeat(200);
    serve(rss([{ guid: '1', title: '&b;&f;', description: deep }]).replace('<rss', `${doctype}<rss`));

    await poll();

    expect((await read()).feed.lastError).toBe(null);
    expect(await texts()).toEqual(['&b;&f;']);
  });

  it('that nests more than 256 elements is no feed, and is given up at once', () => {
    const deep = '<x>'.repeat(700_000);

    expect(parseFeed(`<rss><channel><item><guid>1</guid><title>One</title></item>${deep}`)).toBe(null);
    const html = `<item><guid>1</guid><title>One</title><description>Ding ${deep.replaceAll('<', '&lt;')}</description></item>`;
    expect(parseFeed(`<rss><channel>${html}</channel></rss>`)).toMatchObject([{ title: 'One', summary: 'Ding' }]);
  });

  it('in another encoding is read by its declaration', async () => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    const xml = rss([{ guid: '1', title: 'Glöckchen' }]).replace(
      'version="1.0"?',
      'version="1.0" encoding="iso-8859-1"?',
    );
    serve(Buffer.from(xml, 'latin1'));

    await poll();

    expect(await texts()).toEqual(['Glöckchen']);
  });

  it.each([
    ['has the byte order mark of UTF-16, little endian', (xml: string) => utf16('\uFEFF', xml), 'text/xml'],
    ['has that of UTF-16, big endian', (xml: string) => utf16('\uFEFF', xml).swap16(), 'text/xml'],
    ['is UTF-16 and names the mark in its header', (xml: string) => utf16('\uFEFF', xml), 'text/xml; charset=utf-16'],
    [
      'has the mark of UTF-8, with any charset in its header',
      (xml: string) => Buffer.from(`\uFEFF${xml}`),
      'text/xml; charset=iso-8859-1',
    ],
    [
      'is UTF-8 and was declared as UTF-16 before it was converted',
      (xml: string) => Buffer.from(xml.replace('?>', ' encoding="utf-16"?>')),
      'text/xml',
    ],
    [
      'has a declaration, and an unknown encoding in its header',
      (xml: string) => Buffer.from(xml.replace('?>', ' encoding="iso-8859-1"?>'), 'latin1'),
      'text/xml; charset=none',
    ],
    ['has single quotes in its header', (xml: string) => Buffer.from(xml, 'latin1'), "text/xml; charset='iso-8859-1'"],
  ])('that %s is read in its encoding', async (_case, encode, contentType) => {
    const { serve, texts, poll } = await addFeed({ template: '{title}' });
    serve(encode(rss([{ guid: '1', title: 'Glöckchen' }])), { 'content-type': contentType });

    await poll();

    expect(await texts()).toEqual(['Glöckchen']);
  });

  it.each([
    ['2026-11-21T12:00:01', 'an instant'],
    ['Sat, 21 Nov 2026 12:00:01', 'an instant of RFC 822'],
    ['Sat, 21 Nov 2026 13:00:01 +0100', 'an offset'],
    ['Sat, 21 Nov 2026 07:00:01 EST', 'the name of a zone'],
    ['Sat, 21 Nov 2026 13:00:01 +0100 (CET)', 'an offset with a comment'],
    ['2026-11-21 13:00:01+01', 'an offset in hours'],
    ['Sat Nov 21 07:00:01 EST 2026', 'a zone before the year'],
    ['11/21/2026 07:00:01 AM EST', 'half a day in a zone'],
    ['11/21/2026 12:00:01 PM', 'half a day'],
  ])('with the date %j is read by UTC where it names no zone: %s', (date) => {
    const items = parseFeed(`<rss><channel><item><guid>1</guid><pubDate>${date}</pubDate></item></channel></rss>`);

    expect(items?.[0]).toMatchObject({ publishedAt: new Date('2026-11-21T12:00:01Z'), isDatedByDay: false });
  });

  it.each(['2026-11-21', 'Sat, 21 Nov 2026', '21-Nov-2026', '11-21-2026'])(
    'with the day %j begins it in UTC',
    (date) => {
      const items = parseFeed(`<rss><channel><item><guid>1</guid><pubDate>${date}</pubDate></item></channel></rss>`);

      expect(items?.[0]).toMatchObject({ publishedAt: new Date('2026-11-21T00:00:00Z'), isDatedByDay: true });
    },
  );

  it.each([
    ['is a page', '<!doctype html><html><body>Hi</body></html>', /neither RSS nor Atom\.$/],
    ['is larger than 2 MiB', `<rss>${' '.repeat(2_200_000)}</rss>`, /broke off, or answered with more than 2 MiB\.$/],
  ])('that %s is a failed poll', async (_case, body, why) => {
    const { serve, poll, read } = await addFeed();
    serve(body);

    await poll();

    expect((await read()).feed.lastError).toMatch(why);
  });
});

describe('a poll', () => {
  it('asks only for what has changed', async () => {
    const { respondWith, requests, poll, read } = await addFeed();
    const modified = 'Mon, 23 Nov 2026 00:00:00 GMT';
    respondWith((request, response) => {
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"1"', 'last-modified': modified }).end(rss([{ guid: '1' }]));
    });

    await poll();
    await poll();

    expect(requests.map((headers) => [headers['if-none-match'], headers['if-modified-since']])).toEqual([
      [undefined, undefined],
      ['"1"', modified],
    ]);
    expect(requests[0]?.['user-agent']).toMatch(/^Carillon\/\d/);
    const { feed } = await read();
    expect([feed.lastError, feed.lastOkAt]).toEqual([null, world.clock.now().toISOString()]);
  });

  it('fails when nothing is said to have changed since nothing was read', async () => {
    const { respondWith, serve, poll, read, texts } = await addFeed();
    respondWith((_request, response) => response.writeHead(304).end());
    await poll();
    const { feed } = await read();
    serve(rss([]).replace('</channel>', '<item><guid>old</guid><title>Old, undated</title></item></channel>'));

    await poll();

    expect(feed).toMatchObject({
      lastOkAt: null,
      lastError: 'The server says that nothing has changed, although nothing was read before (HTTP 304).',
    });
    expect(await texts()).toEqual([]);
  });

  it('that fails is repeated later and later, and not before Retry-After', async () => {
    const { respondWith, requests, read } = await addFeed();
    respondWith((_request, response) => response.writeHead(503, { 'retry-after': '7200' }).end());
    await world.advance(0);
    const { feed } = await read();

    expect(feed.lastError).toMatch(/^127\.0\.0\.1:\d+ answered HTTP 503\.$/);
    expect(Date.parse(feed.nextPollAt) - world.clock.now().getTime()).toBe(2 * HOUR_MS);
    respondWith((_request, response) => response.writeHead(500).end());
    await world.advance(2 * HOUR_MS);
    expect(requests).toHaveLength(2);
    expect(Date.parse((await read()).feed.nextPollAt) - world.clock.now().getTime()).toBe(2 * HOUR_MS);
    await world.advance(2 * HOUR_MS);
    expect(Date.parse((await read()).feed.nextPollAt) - world.clock.now().getTime()).toBe(4 * HOUR_MS);
  });

  it('that fails for three days disables the feed, until it is enabled again', async () => {
    const { key, id, serve, read, texts } = await addFeed();
    for (let hours = 0; hours <= 120; hours += 12) await world.advance(12 * HOUR_MS);
    const { feed } = await read();
    expect(feed).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
      nextPollAt: null,
      lastError: expect.stringMatching(/HTTP 404\.$/),
    });
    serve(rss([{ guid: '1', title: 'Back' }]));

    const { body } = await world.rest(`PATCH /feeds/${id}`, { key, body: { enabled: true } });
    await world.runDue();

    expect(body.feed).toMatchObject({ enabled: true, disabledReason: null, lastError: null });
    expect(await texts()).toEqual(['Back']);
  });

  it('that disables the feed is an event for the webhooks that name it, and one mail to each owner', async () => {
    const mail = await startFakeMail();
    whenOver(() => mail.close());
    const env = { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from };
    await using install = await startWorld({ env });
    const [naming, silent] = [await startReceiver(), await startReceiver()];
    await registerWebhook(install, naming.url, { events: ['feed.disabled'] });
    await registerWebhook(install, silent.url);
    const server = await startFeedServer();
    server.respondWith((_request, response) => response.writeHead(410).end());
    const body = { url: `${server.url}?token=secret`, connectionSlugs: [install.sandboxSlug] };
    const { feed } = (await install.rest('POST /feeds', { body })).body;

    await install.runDue();
    await install.runDue();

    const { host } = new URL(server.url);
    const error = 'The server says that the feed is gone (HTTP 410).';
    const { disabledAt } = (await install.rest(`GET /feeds/${feed.id}`)).body.feed;
    expect(naming.received.map((delivery) => delivery.body)).toEqual([
      {
        eventId: UUID,
        event: 'feed.disabled',
        timestamp: disabledAt,
        feed: { id: feed.id, host, disabledAt, disabledReason: 'gone', error, profileId: null },
      },
    ]);
    expect(silent.received).toEqual([]);
    const [message, ...others] = mail.messages();
    expect(others).toEqual([]);
    const words = message?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    expect(words).toContain(`/files/feeds?feed=${feed.id}`);
    expect(words).toContain(error);
    expect(words).not.toContain('secret');
  });

  it('that answers 410 disables the feed at once', async () => {
    const { respondWith, poll, read } = await addFeed();
    respondWith((_request, response) => response.writeHead(410).end());

    await poll();

    expect((await read()).feed).toMatchObject({ enabled: false, disabledReason: 'gone' });
  });

  it('follows redirects, but to no private network', async () => {
    const { respondWith, url, poll, read, texts } = await addFeed({ template: '{title}' });
    const other = await startFeedServer();
    other.serve(rss([{ guid: '1', title: 'There' }]));
    respondWith((_request, response) => response.writeHead(301, { location: other.url }).end());
    await poll();
    expect(await texts()).toEqual(['There']);
    respondWith((_request, response) => response.writeHead(302, { location: 'http://10.1.2.3/feed' }).end());

    await poll();

    expect((await read()).feed).toMatchObject({ url, lastError: expect.stringContaining('10.1.2.3') });
  });

  it('never reaches a private network', async () => {
    await using install = await startWorld({ env: { OUTBOUND_ALLOW: '' } });
    const server = await startFeedServer();
    const body = { url: server.url, connectionSlugs: [install.sandboxSlug] };
    const { feed } = (await install.rest('POST /feeds', { body })).body;
    await install.runDue();

    expect(server.requests).toEqual([]);
    expect((await install.rest(`GET /feeds/${feed.id}`)).body.feed.lastError).toMatch(/\.$/);
  });

  it('is made with rights that are in force: the feed ends with its key', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const other = await world.key({ accountId });
    const server = await startFeedServer();
    server.serve(rss([{ guid: '1' }]));
    const body = { url: server.url, connectionSlugs: ['sandbox'] };
    const { feed } = (await world.rest('POST /feeds', { key: other.secret, body })).body;
    await world.rest(`DELETE /keys/${other.id}`, { key });
    await world.runDue();

    expect((await world.rest(`GET /feeds/${feed.id}`, { key })).body.feed).toMatchObject({ disabledReason: 'ended' });
    expect(server.requests).toEqual([]);
  });

  it('is made at once when someone asks, at most once a minute', async () => {
    const { key, id, serve, texts, poll, requests } = await addFeed();
    serve(rss([]));
    await poll();
    serve(rss([{ guid: '1', title: 'News' }]));
    const now = world.clock.now().getTime();

    const { body } = await world.rest(`POST /feeds/${id}/poll`, { key, body: {} });
    expect(Date.parse(body.feed.nextPollAt)).toBe(now + 60_000);
    await world.advance(60_000);

    expect(requests).toHaveLength(2);
    expect(await texts()).toEqual(['News']);
  });

  it('is planned anew when the clock was set back, and made when someone asks', async () => {
    await using install = await startWorld();
    const server = await startFeedServer();
    server.serve(rss([]));
    const body = { url: server.url, connectionSlugs: [install.sandboxSlug] };
    const { feed } = (await install.rest('POST /feeds', { body })).body;
    const start = install.clock.now().getTime();
    const pollsAt = async (at: number) => {
      install.clock.set(new Date(at));
      await install.runDue();
      return server.requests.length;
    };
    expect(await pollsAt(start + 240 * HOUR_MS)).toBe(1);

    expect(await pollsAt(start + HOUR_MS)).toBe(2);

    install.clock.set(new Date(start));
    const asked = await install.rest(`POST /feeds/${feed.id}/poll`, { body: {} });
    expect(Date.parse(asked.body.feed.nextPollAt)).toBe(start + 60_000);
    expect(await pollsAt(start + 60_000)).toBe(3);
  });

  it('is made when someone asks during another one', async () => {
    const { key, id, serve, respondWith, requests } = await addFeed();
    serve(rss([]));
    await world.runDue();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    respondWith((_request, response) => {
      asked.resolve();
      void answered.promise.then(() => response.writeHead(200).end(rss([])));
    });
    world.clock.advance(HOUR_MS);
    const round = runRound(world.context, loop, new AbortController().signal);
    await asked.promise;
    const { body } = await world.rest(`POST /feeds/${id}/poll`, { key });
    answered.resolve();
    await round;
    const before = requests.length;

    await world.advance(60_000);

    expect(body.feed.nextPollAt).toBe(world.clock.now().toISOString());
    expect(requests.length).toBe(before + 1);
  });
});

describe('PATCH and DELETE /feeds/{feedId}', () => {
  it('change only what is sent, and keep what was made', async () => {
    const { key, id, serve, poll, texts, feed } = await addFeed();
    serve(rss([{ guid: '1' }]));
    await poll();

    const changed = await world.rest(`PATCH /feeds/${id}`, { key, body: { template: '{title}!', enabled: false } });
    const deleted = await world.rest(`DELETE /feeds/${id}`, { key });

    expect(changed.body.feed).toMatchObject({
      url: feed.url,
      template: '{title}!',
      enabled: false,
      disabledReason: 'requested',
    });
    expect(deleted.body).toEqual({ id, deleted: true });
    expect(await world.sql('select id from feed_items where feed_id = $1', [id])).toEqual([]);
    expect(await texts()).toEqual(['Ding']);
  });

  it('keep a connection that was disconnected since, and take no other that is unknown', async () => {
    const { key, id } = await addFeed();
    const gone = await connectSandbox(world, { key, slug: 'gone' });
    await world.rest(`PATCH /feeds/${id}`, { key, body: { connectionSlugs: ['sandbox', 'gone'] } });
    await world.rest(`DELETE /connections/${gone.id}`, { key });
    const change = (connectionSlugs: readonly string[]) =>
      world.rest(`PATCH /feeds/${id}`, { key, body: { template: '{title}!', connectionSlugs } });

    const kept = await change(['sandbox', 'gone']);

    expect([kept.status, kept.body.feed?.connectionSlugs]).toEqual([200, ['sandbox', 'gone']]);
    expect((await change(['sandbox', 'gone', 'unknown'])).body.error).toBe('invalid_connection');
    expect((await change(['sandbox'])).body.feed.connectionSlugs).toEqual(['sandbox']);
    expect((await change(['sandbox', 'gone'])).body.error).toBe('invalid_connection');
  });

  it('give its posts the rights of the one who changes them: what needs an approval asks for it', async () => {
    const { id, key, accountId, serve, poll, read } = await addFeed();
    const asking = await world.key({ accountId, approval: 'required' });
    serve(rss([{ guid: '1' }]));

    await world.rest(`PATCH /feeds/${id}`, { key: asking.secret, body: { delivery: 'queue' } });
    await poll();

    const [{ postIds }] = (await read()).items;
    const { post } = (await world.rest(`GET /posts/${postIds[0]}`, { key })).body;
    expect(post).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
  });

  it('pass what a new address has without a date', async () => {
    const { id, key, serve, poll, texts } = await addFeed({ template: '{title}' });
    serve(rss([]));
    await poll();
    const other = await startFeedServer();
    const undated = (...guids: string[]) =>
      other.serve(
        rss([]).replace(
          '</channel>',
          `${guids.map((guid) => `<item><guid>${guid}</guid><title>${guid}</title></item>`).join('')}</channel>`,
        ),
      );
    undated('Old');

    await world.rest(`PATCH /feeds/${id}`, { key, body: { url: other.url } });
    await poll();
    undated('New', 'Old');
    await poll();

    expect(await texts()).toEqual(['New']);
  });

  it('pass what a new address has from before it was given', async () => {
    const { id, key, serve, poll, texts } = await addFeed({ template: '{title}' });
    serve(rss([{ guid: 'first', title: 'First' }]));
    await poll();
    const other = await startFeedServer();
    const day = world.clock.now().toISOString().slice(0, 10);
    const dated = `<item><guid>day</guid><title>Of that day</title><dc:date>${day}</dc:date></item>`;
    const before = rss([{ guid: 'before', title: 'Before', at: -HOUR_MS / 2 }]);
    other.serve(before.replace('</channel>', `${dated}</channel>`));

    await world.rest(`PATCH /feeds/${id}`, { key, body: { url: other.url } });
    await world.runDue();
    other.serve(rss([{ guid: 'after', title: 'After' }]));
    await poll();

    expect(await texts()).toEqual(['First', 'After']);
  });

  it('hold from the answer to them on, also for a poll in progress', async () => {
    const { id, key, beginPoll, serve, poll, texts } = await addFeed({ template: '{title}' });
    const undated = rss([{ guid: 'new' }]).replace('</channel>', '<item><guid>old</guid></item></channel>');
    const answer = await beginPoll();

    await world.rest(`PATCH /feeds/${id}`, { key, body: { template: 'New: {title}' } });
    await answer(undated);
    const meanwhile = await texts();
    serve(undated);
    await poll();

    expect([meanwhile, await texts()]).toEqual([[], ['New: Ding']]);
  });

  it.each([
    ['disabled', 'PATCH', { enabled: false }],
    ['deleted', 'DELETE', undefined],
  ])('leave no post to a poll in progress of a feed that is %s', async (_what, method, body) => {
    const { id, key, beginPoll, texts } = await addFeed();
    const answer = await beginPoll();
    const logged = world.logged.length;

    await world.rest(`${method} /feeds/${id}`, { key, ...(body && { body }) });
    await answer(rss([{ guid: '1' }, { guid: '2', title: '' }, { guid: '3', at: -HOUR_MS }]));

    expect(await texts()).toEqual([]);
    expect(world.logged.slice(logged)).toEqual([]);
  });

  it('give another address nothing of a poll in progress', async () => {
    const { id, key, url, beginPoll, serve, poll, texts } = await addFeed({ template: '{title}' });
    serve(rss([]));
    await poll();
    const undated = rss([]).replace('</channel>', '<item><guid>old</guid><title>Old</title></item></channel>');
    world.clock.advance(HOUR_MS);
    const answer = await beginPoll();

    await world.rest(`PATCH /feeds/${id}`, { key, body: { url: `${url}?other` } });
    await world.rest(`PATCH /feeds/${id}`, { key, body: { url } });
    await answer(undated);
    serve(undated);
    await poll();

    expect(await texts()).toEqual([]);
  });

  it('leave nothing to a key that was revoked during a poll', async () => {
    const feed = await addFeed();
    const other = await world.key({ accountId: feed.accountId });
    await world.rest(`PATCH /feeds/${feed.id}`, { key: other.secret, body: { delivery: 'draft' } });
    const answer = await feed.beginPoll();

    await world.rest(`DELETE /keys/${other.id}`, { key: feed.key });
    await answer(rss([{ guid: '1' }]));
    const meanwhile = await feed.texts();
    await feed.poll();

    expect([meanwhile, await feed.texts()]).toEqual([[], []]);
    expect((await feed.read()).feed).toMatchObject({ disabledReason: 'ended' });
  });

  it('end the feed with the key that changed its address', async () => {
    const { id, key, accountId, poll, read, texts } = await addFeed();
    const other = await world.key({ accountId });
    const elsewhere = await startFeedServer();
    elsewhere.serve(rss([{ guid: '1' }]));
    await world.rest(`PATCH /feeds/${id}`, { key: other.secret, body: { url: elsewhere.url } });
    await world.rest(`DELETE /keys/${other.id}`, { key });

    await poll();

    expect((await read()).feed).toMatchObject({ enabled: false, disabledReason: 'ended' });
    expect([elsewhere.requests, await texts()]).toEqual([[], []]);
  });

  it('keep its rights when they only change how often it is polled', async () => {
    const { id, key, accountId, serve, read, texts } = await addFeed();
    const other = await world.key({ accountId });
    serve(rss([{ guid: '1' }]));
    await world.rest(`PATCH /feeds/${id}`, { key: other.secret, body: { intervalMinutes: 15 } });
    await world.rest(`DELETE /keys/${other.id}`, { key });

    await world.runDue();

    expect((await read()).feed).toMatchObject({ enabled: true, intervalMinutes: 15 });
    expect(await texts()).toEqual(['Ding']);
  });
});

describe('another interval', () => {
  it.each([15, 1_440])('of %s minutes holds from the end of a poll in progress on', async (intervalMinutes) => {
    const { id, key, beginPoll, read } = await addFeed();
    const answer = await beginPoll();
    await world.rest(`PATCH /feeds/${id}`, { key, body: { intervalMinutes } });

    await answer(rss([{ guid: '1' }]));

    const { nextPollAt } = (await read()).feed;
    expect(Date.parse(nextPollAt) - world.clock.now().getTime()).toBe(intervalMinutes * 60_000);
  });
});

describe('a shorter interval', () => {
  it('counts from the last poll, and does not wait for the end of the longer one', async () => {
    const { id, key, serve, read } = await addFeed();
    serve(rss([{ guid: '1' }]));
    await world.runDue();
    const polledAt = Date.parse((await read()).feed.lastPolledAt);
    world.clock.advance(600_000);

    const { body } = await world.rest(`PATCH /feeds/${id}`, { key, body: { intervalMinutes: 15 } });

    expect(body.feed).toMatchObject({
      intervalMinutes: 15,
      nextPollAt: new Date(polledAt + 900_000).toISOString(),
      lastPolledAt: new Date(polledAt).toISOString(),
    });
  });

  it('leaves the wait after a failure as it is', async () => {
    const { id, key, respondWith, read } = await addFeed();
    respondWith((_request, response) => response.writeHead(503, { 'retry-after': '7200' }).end());
    await world.runDue();
    const { nextPollAt } = (await read()).feed;

    const { body } = await world.rest(`PATCH /feeds/${id}`, { key, body: { intervalMinutes: 15 } });

    expect(body.feed.nextPollAt).toBe(nextPollAt);
  });
});
