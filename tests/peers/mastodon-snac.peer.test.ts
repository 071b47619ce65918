/** The Mastodon adapter against snac: a real server with that API, but fewer guarantees than Mastodon. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendPart } from '../../platforms/contract.ts';
import { mastodon } from '../../platforms/mastodon/index.ts';
import { failureOf, headPart, sessionOf, testIo } from '../platforms/harness.ts';
import { snacScript } from './ensure-peers.ts';
import { type RealSnac, startSnac } from './real-servers.ts';

const now = () => new Date();
const CALLBACK = 'http://127.0.0.1:9/callback';
const script = snacScript();

describe.skipIf(script === undefined)('snac', () => {
  let server: RealSnac;
  let accessToken: string;

  const io = () => testIo(now);
  const connect = () => mastodon.connectAccount({ instanceUrl: server.url, accessToken }, io());
  const part = (text: string, token: string, more: Partial<SendPart> = {}) => ({
    ...headPart(text, token, now()),
    ...more,
  });

  async function raw<Answer>(path: string, body: Record<string, string>): Promise<Answer> {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body: new URLSearchParams(body) });
    return (await response.json()) as Answer;
  }

  /** An application token for alice, from the usual flow: sign in, allow, exchange the code. */
  async function logIn(): Promise<string> {
    const registration = { client_name: 'carillon', redirect_uris: CALLBACK, scopes: 'read write' };
    const app = await raw<{ client_id: string; client_secret: string }>('/api/v1/apps', registration);
    const form = {
      login: 'alice',
      passwd: server.passwords['alice'] ?? '',
      redir: CALLBACK,
      cid: app.client_id,
      state: 's',
    };
    const allowed = await fetch(`${server.url}/oauth/x-snac-login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(form),
    });
    const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const exchange = { ...app, grant_type: 'authorization_code', code, redirect_uri: CALLBACK, scope: 'read write' };
    const { access_token: token } = await raw<{ access_token: string }>('/oauth/token', {
      ...exchange,
      client_id: app.client_id,
      client_secret: app.client_secret,
    });
    return token;
  }

  beforeAll(async () => {
    server = await startSnac(script ?? '');
    console.log(`snac ready after ${server.startMs} ms`);
    accessToken = await logIn();
  });

  afterAll(() => server?.stop());

  it('connects with the limits of the server', async () => {
    const account = await connect();

    expect(account).toEqual({
      platformAccountId: `${server.url}/${account.credential.accountId}`,
      handle: `alice@${new URL(server.url).host}`,
      credential: { origin: server.url, accessToken, accountId: expect.any(String) as string },
      limits: {
        text: { maxLength: 100_000, urlLength: 32 },
        images: {
          max: 5,
          maxBytes: 16_777_216,
          maxPixels: 33_177_600,
          types: expect.arrayContaining(['image/png', 'image/jpeg', 'image/gif', 'image/webp']) as string[],
        },
      },
    });
  });

  it('refuses a token the server does not know', async () => {
    const call = mastodon.connectAccount({ instanceUrl: server.url, accessToken: 'nope' }, io());

    expect(await failureOf(call)).toEqual({ kind: 'rejected', message: 'The Mastodon server refused: HTTP 422' });
  });

  it('needs reconnecting when the server rejects a token for a post', async () => {
    const account = await connect();
    const session = sessionOf({ ...account, credential: { ...account.credential, accessToken: 'nope' } });

    expect(await failureOf(mastodon.publish(session, part('hello', 'dead'), io()))).toEqual({
      kind: 'reconnect',
      message: 'The Mastodon server does not accept this credential: HTTP 401',
    });
  });

  it('publishes, finds the post by its text, and takes it down twice', async () => {
    const session = sessionOf(await connect());
    const text = 'Hello & *bold* <b> `code` 🎉\n\nhttps://example.com/a?b=1&c=2 #bells @bob@social.example it’s "so"';
    const head = part(text, 'head-1');
    const before = performance.now();
    const made = await mastodon.publish(session, head, io());
    console.log(`a post took ${Math.round(performance.now() - before)} ms`);

    expect(made).toEqual({
      platformPostId: expect.any(String) as string,
      url: expect.stringContaining('/alice/p/') as string,
    });
    expect(await mastodon.readBack?.(session, head, io())).toEqual(made);
    expect(await mastodon.readBack?.(session, part('never sent', 'head-2'), io())).toBeNull();

    await mastodon.remove?.(session, made, io());
    await mastodon.remove?.(session, made, io());

    expect(await mastodon.readBack?.(session, head, io())).toBeNull();
  });

  it('attaches replies below their parent and finds them there', async () => {
    const session = sessionOf(await connect());
    const root = await mastodon.publish(session, part('one', 'thread-1'), io());
    const second = part('two', 'thread-2', { step: 'reply', root, parent: root });
    const made = await mastodon.publish(session, second, io());

    expect(await mastodon.readBack?.(session, second, io())).toEqual(made);
    expect(await mastodon.readBack?.(session, part('two', 'thread-3'), io())).toBeNull();

    for (const post of [made, root]) await mastodon.remove?.(session, post, io());
  });
});
