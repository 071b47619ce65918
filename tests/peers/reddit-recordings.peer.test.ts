/**
 * Our fake of Reddit against recorded exchanges with the real one: the adapter sends the recorded requests, and the
 * fake's answers have the same form as the recorded ones.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendPart, Session } from '../../platforms/contract.ts';
import { reddit } from '../../platforms/reddit/index.ts';
import type { RedditCredential } from '../../platforms/reddit/credential.ts';
import { type FakeReddit, startFakeReddit } from '../platforms/fakes/fake-reddit.ts';
import { headPart, sessionOf, StoppedClock, testIo } from '../platforms/harness.ts';
import { peerScript } from './ensure-peers.ts';

const first = peerScript('descriptions/reddit/TestSubreddit.test_submit__selftext.json');

interface Exchange {
  readonly request: { readonly method: string; readonly uri: string; readonly body: string | null };
  readonly response: { readonly body: { readonly string: string } };
}

interface Recorded {
  readonly parameters: URLSearchParams;
  readonly answer: unknown;
}

/** The first exchange of a recording whose address contains `path`, with an optional slash at the end. */
function recorded(test: string, method: string, path: string): Recorded {
  const file = join(dirname(first ?? ''), `${test}.json`);
  const { interactions } = JSON.parse(readFileSync(file, 'utf8')) as { interactions: Exchange[] };
  const exchange = interactions.find(({ request }) => {
    return request.method === method && new URL(request.uri).pathname.replace(/\/$/, '').startsWith(path);
  });
  if (exchange === undefined) throw new Error(`${test} has no ${method} ${path}`);
  const { request, response } = exchange;
  const parameters = new URLSearchParams(`${new URL(request.uri).search.slice(1)}&${request.body ?? ''}`);
  return { parameters, answer: JSON.parse(response.body.string) };
}

/** Paths at which only one answer has a value, or a value of another type; null fits all. */
function strange(ours: unknown, theirs: unknown, path = ''): string[] {
  if (ours === null || theirs === null) return [];
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return ours.length === 0 || theirs.length === 0 ? [] : strange(ours[0], theirs[0], `${path}[0]`);
  }
  if (typeof ours !== typeof theirs || Array.isArray(ours) !== Array.isArray(theirs)) return [path];
  if (typeof ours !== 'object') return [];
  const known = theirs as Record<string, unknown>;
  return Object.entries(ours as object).flatMap(([key, value]) =>
    key in known ? strange(value, known[key], `${path}.${key}`) : [`${path}.${key}`],
  );
}

describe.skipIf(first === undefined)('Reddit as it was recorded', () => {
  const clock = new StoppedClock();
  let fake: FakeReddit;
  let session: Session<RedditCredential>;
  const io = () => ({
    ...testIo(clock.now, { REDDIT_API_URL: fake.url, REDDIT_AUTH_URL: fake.url }, 10_000, {
      x: null,
      linkedin: null,
      reddit: { clientId: 'our-app', clientSecret: 'our-secret' },
      meta: null,
    }),
    sleep: async () => undefined,
  });
  const part = (text: string, more: Partial<SendPart> = {}) => ({ ...headPart(text, '1', clock.now()), ...more });

  beforeAll(async () => {
    fake = await startFakeReddit({ now: clock.now, app: { clientId: 'our-app', clientSecret: 'our-secret' } });
    fake.addCommunity('bells');
    fake.addAccount('alice', 'token', 'refresh');
    session = sessionOf(await reddit.connectAccount({ accessToken: 'token', subreddit: 'bells' }, io()));
  });
  afterAll(() => fake.close());

  /** The adapter's last request to a route: its query and its form. */
  function sent(route: string): URLSearchParams {
    const call = fake.lastCalls[route];
    return new URLSearchParams(`${call?.query.toString()}&${call?.bytes.toString()}`);
  }

  /** The fake's answer when the last call of a route is repeated. */
  async function answered(route: string): Promise<unknown> {
    const call = fake.lastCalls[route];
    const [method = '', path = ''] = route.split(' ');
    const url = `${fake.url}${call?.path ?? path}?${call?.query.toString()}`;
    const { authorization = '', 'user-agent': agent = '', 'content-type': type = '' } = call?.headers ?? {};
    const headers = { authorization, 'user-agent': agent, ...(type !== '' && { 'content-type': type }) };
    const response = await fetch(url, {
      method,
      headers,
      ...(method === 'POST' && { body: new Uint8Array(call?.bytes ?? []) }),
    });
    return response.json();
  }

  const lower = (parameters: URLSearchParams, name: string) => parameters.get(name)?.toLowerCase();

  it.each([
    ['a text', 'TestSubreddit.test_submit__selftext', 'Test Title\nTest text.', []],
    ['an address', 'TestSubreddit.test_submit__url', 'https://bells.example', []],
    // Reddit accepts a text with every kind of post. The recordings have one for a link, not for an image.
    ['an image', 'TestSubreddit.test_submit_image', 'Test Title', ['text']],
  ])('sends the same parameters to post %s, and answers alike', async (_case, test, text, more) => {
    const image = { mediaId: 'm', bytes: Buffer.from('x'), contentType: 'image/png', width: 1, height: 1, altText: '' };
    const isImage = more.length > 0;
    const prepared = isImage ? ((await reddit.prepare?.(session, [image], io())) ?? null) : null;
    await reddit.publish(session, part(text, { prepared }), io());
    const asked = sent('POST /api/submit');
    const real = recorded(test, 'POST', '/api/submit');

    const names = new Set([...real.parameters.keys(), ...more]);
    expect([...asked.keys()].filter((name) => !names.has(name))).toEqual([]);
    for (const name of ['kind', 'api_type', 'resubmit', 'sendreplies', 'raw_json']) {
      expect([name, lower(asked, name)]).toEqual([name, lower(real.parameters, name)]);
    }
    expect(strange(await answered('POST /api/submit'), real.answer)).toEqual([]);
  });

  it('leases an upload address for an image alike', async () => {
    const real = recorded('TestSubreddit.test_submit_image', 'POST', '/api/media/asset.json');

    expect([...sent('POST /api/media/asset.json').keys()].toSorted()).toEqual([...real.parameters.keys()].toSorted());
    expect(strange(await answered('POST /api/media/asset.json'), real.answer)).toEqual([]);
  });

  it('shows a community alike', async () => {
    const real = recorded('TestSubreddit.test_submit_image', 'GET', '/r/');

    expect(strange(await answered('GET /r/:name/about'), real.answer)).toEqual([]);
  });

  it('deletes alike, and answers alike for a deleted post', async () => {
    const published = await reddit.publish(session, part('short-lived'), io());
    await reddit.remove?.(session, published, io());
    const deleted = recorded('TestSubmission.test_delete', 'POST', '/api/del');
    const shown = recorded('TestSubmission.test_delete', 'GET', '/comments/').answer as unknown[];
    const asked = recorded('TestComment.test_delete', 'GET', '/api/info');

    // The recordings also name the API type here, which makes no difference to {}.
    expect([...sent('POST /api/del').keys(), 'api_type'].toSorted()).toEqual([...deleted.parameters.keys()].toSorted());
    expect(await answered('POST /api/del')).toEqual(deleted.answer);
    expect([...sent('GET /api/info').keys()].filter((name) => name !== '').toSorted()).toEqual(
      [...asked.parameters.keys()].filter((name) => name !== '').toSorted(),
    );
    // `dist` is newer than the recording.
    expect(strange(await answered('GET /api/info'), shown[0])).toEqual(['.data.dist']);
  });

  it('issues a token alike', async () => {
    const stale = { ...session.credential, refreshToken: 'refresh' };
    await reddit.renewal?.renew(stale, io());
    const real = recorded('TestSubreddit.test_submit_image', 'POST', '/api/v1/access_token');

    expect([...sent('POST /api/v1/access_token').keys()].filter((name) => name !== '').toSorted()).toEqual(
      [...real.parameters.keys()].filter((name) => name !== '').toSorted(),
    );
    expect(strange(await answered('POST /api/v1/access_token'), real.answer)).toEqual([]);
  });

  it('reports a refused title in words that are passed on', async () => {
    const real = recorded('TestSubreddit.test_submit__verify_invalid', 'POST', '/api/submit');
    fake.answers['POST /api/submit'] = [{ status: 400, json: real.answer }];

    await expect(reddit.publish(session, part('no'), io())).rejects.toMatchObject({
      kind: 'rejected',
      message: 'Reddit refused: You may not have "dfgfdgfdgdf" in your title.',
    });
  });
});
