/**
 * OAuth on the page of a Bluesky account's server, on a real PDS: pushed requests, key-bound tokens, and what the
 * tokens permit.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bluesky } from '../../platforms/bluesky/index.ts';
import { alternative } from '../../platforms/bluesky/oauth.ts';
import { type OauthCredential, oauthRenewal } from '../../platforms/bluesky/oauth-credential.ts';
import { makeTid } from '../../platforms/bluesky/tid.ts';
import type { OauthIo } from '../../platforms/connect.ts';
import { plain } from '../harness/images.ts';
import { failureOf, headPart, sessionOf, testIo } from '../platforms/harness.ts';
import { peerScript } from './ensure-peers.ts';
import { agreeOnPds } from './pds-consent.ts';
import { openOnPds, PDS_PASSWORD, type PeerAccount } from './peer-accounts.ts';

const script = peerScript('bluesky/start-pds.mjs');
const now = () => new Date();

const REQUEST = { redirectUri: 'http://localhost:3000/connect/callback/bluesky', state: 'of-one-session' };

describe.skipIf(script === undefined)('the page of a real PDS', () => {
  let account: PeerAccount;

  beforeAll(async () => {
    account = await openOnPds(script ?? '');
  });

  afterAll(() => account?.stop());

  const io = (): OauthIo => ({
    ...testIo(now, {
      BLUESKY_SERVICE_URL: account.credentials['service'] ?? '',
      BLUESKY_PLC_URL: account.plcUrl ?? '',
    }),
    keptApp: () => Promise.reject(new Error('a client on the developer’s machine is registered nowhere')),
    forgetApp: async () => {},
  });
  let requests = 0;
  /** Servers accept each verifier once. */
  const newRequest = () => ({ ...REQUEST, verifier: String((requests += 1)).padStart(43, '0') });
  const person = () => ({ handle: account.credentials['identifier'] ?? '', password: PDS_PASSWORD });

  /** Goes to the page and agrees there; returns the parameters of the redirect. */
  async function agree() {
    const request = newRequest();
    const { url, memo } = await alternative.oauth.begin({}, request, io());
    const back = await agreeOnPds(url, person());
    return { request, memo, back };
  }

  async function link() {
    const { request, memo, back } = await agree();
    const [granted] = await alternative.oauth.finish(back.searchParams, request, memo, io());
    const linked = await alternative.connectAccount(granted?.credentials ?? {}, io());
    return { ...linked, credential: linked.credential as OauthCredential };
  }

  function part(text: string, seed: string) {
    return headPart(text, makeTid(now(), seed), now());
  }

  it('redirects the customer to the loopback address, with the issuer and the state', async () => {
    const { back } = await agree();

    expect(back.origin + back.pathname).toBe('http://127.0.0.1:3000/connect/callback/bluesky');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      iss: account.credentials['service'],
      state: REQUEST.state,
      code: expect.any(String),
    });
  });

  it('accepts the tokens of the approved account, which shows images, posts and deletes', async () => {
    const linked = await link();
    const session = sessionOf(linked);
    const bytes = await plain(40, 30).png().toBuffer();
    const image = { mediaId: 'm', bytes, contentType: 'image/png', altText: 'Nothing', width: 40, height: 30 } as const;

    const prepared = (await bluesky.prepare?.(session, [image], io())) ?? null;
    const published = await bluesky.publish(session, { ...part('over the page', 'image'), prepared }, io());

    expect(linked).toEqual({
      platformAccountId: published.platformPostId.split('/')[2],
      handle: 'alice.test',
      credential: {
        pds: account.credentials['service'],
        issuer: account.credentials['service'],
        tokenUrl: `${account.credentials['service']}/oauth/token`,
        clientId: expect.stringMatching(/^http:\/\/localhost\?redirect_uri=/),
        clientKey: null,
        boundTo: expect.objectContaining({ kty: 'EC' }),
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        expiresAt: expect.stringMatching(/Z$/),
        issuedAt: expect.stringMatching(/Z$/),
      },
    });
    expect(await account.texts()).toEqual(['over the page']);
    await bluesky.remove?.(session, published, io());
    expect(await account.texts()).toEqual([]);
  });

  it('refreshes tokens once with each refresh token, and accepts the new access token for a post', async () => {
    const linked = await link();

    const renewed = await oauthRenewal.renew(linked.credential, io());

    expect(renewed).toEqual({
      ...linked.credential,
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      expiresAt: expect.any(String),
      issuedAt: expect.any(String),
    });
    expect(renewed.accessToken).not.toBe(linked.credential.accessToken);
    expect(renewed.refreshToken).not.toBe(linked.credential.refreshToken);
    const session = sessionOf({ ...linked, credential: renewed });
    await bluesky.remove?.(session, await bluesky.publish(session, part('renewed', 'renewed'), io()), io());
    expect(await failureOf(oauthRenewal.renew(linked.credential, io()))).toEqual({
      kind: 'reconnect',
      message: expect.stringMatching(/^localhost:\d+ no longer renews this credential: connect the account again\.$/),
    });
  });

  it('refreshes a rejected access token before a post', async () => {
    const linked = await link();
    const dead = { ...linked.credential, accessToken: 'dead' };
    const session = sessionOf({ ...linked, credential: dead });

    const published = await bluesky.publish(session, part('after a renewal', 'dead'), io());

    expect(await account.texts()).toEqual(['after a renewal']);
    await bluesky.remove?.(session, published, io());
  });

  it('accepts a code once, and only with its verifier', async () => {
    const { request, memo, back } = await agree();
    const finish = (verifier: string) =>
      alternative.oauth.finish(back.searchParams, { ...request, verifier }, memo, io());

    expect(await failureOf(finish('w'.repeat(43)))).toMatchObject({ kind: 'rejected' });
    expect(await failureOf(finish(request.verifier))).toMatchObject({ kind: 'rejected' });
  });

  it('is rejected when it answers for another server', async () => {
    const { request, memo, back } = await agree();
    back.searchParams.set('iss', 'https://elsewhere.example');

    expect(await failureOf(alternative.oauth.finish(back.searchParams, request, memo, io()))).toMatchObject({
      kind: 'unavailable',
    });
  });
});
