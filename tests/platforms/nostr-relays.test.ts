/** Relays of Nostr that behave badly, slowly or differently, and posts that look alike. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { nostr } from '../../platforms/nostr/index.ts';
import { signEvent } from '../../platforms/nostr/event.ts';
import { createOutboundFetch } from '../../server/outbound.ts';
import { plain } from '../harness/images.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';
import { type FakeNostr, startFakeNostr } from './fakes/fake-nostr.ts';
import { headPart, sessionOf, testIo } from './harness.ts';

const SECRET_KEY = '67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa';
const LENGTH_MAX = 2_000;
const now = () => START;

const relay = await startFakeNostr({ now, limitation: { max_content_length: LENGTH_MAX } });
const other = await startFakeNostr({ now });
const world = await startWorld({ env: { NOSTR_MEDIA_URL: relay.url } });
const outbound = createOutboundFetch({ allow: ['127.0.0.0/8'], connectTimeoutMs: 1_000, silenceTimeoutMs: 1_000 });
afterAll(async () => {
  await outbound.close();
  await Promise.all([relay.close(), other.close()]);
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A relay whose answers the test writes. */
async function scripted(
  onMessage: (socket: WebSocket, type: string, first: { readonly id: string }) => void,
): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const [type, first] = JSON.parse(data.toString()) as [string, { id: string }];
      onMessage(socket, type, first);
    });
  });
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const io = () => ({ ...testIo(now), ...outbound });

const credentialFor = (relays: readonly string[]) => ({ secretKey: SECRET_KEY, relays: relays.join(' ') });

async function sessionAt(...relays: readonly string[]) {
  const account = await nostr.connectAccount(credentialFor([relay.relay]), io());
  return sessionOf({ ...account, credential: { ...account.credential, relays } });
}

const textsOf = ({ events }: FakeNostr) => events.filter(({ kind }) => kind === 1).map(({ content }) => content);

describe('posts that look alike', () => {
  it('are two events when they have one text in one second, and are deleted one by one', async () => {
    await world.rest('POST /connections', {
      body: { platformId: 'nostr', credentials: credentialFor([relay.relay]), slug: 'alike' },
    });
    const post = async () => {
      const { body } = await world.rest('POST /posts', { body: { text: 'Ding', connectionSlugs: ['alike'] } });
      return body.results[0];
    };
    const [first, second] = [await post(), await post()];

    expect(first.url).not.toBe(second.url);
    expect(textsOf(relay)).toEqual(['Ding', 'Ding']);
    await world.rest(`DELETE /posts/${first.postId}`);
    expect(textsOf(relay)).toEqual(['Ding']);
  });

  it('are one event when they are attempts of one part', async () => {
    const session = await sessionAt(other.relay);
    const part = headPart('Dong', 'token-of-the-part', START);
    const made = await nostr.publish(session, part, io());

    expect(await nostr.publish(session, part, io())).toEqual(made);
    expect(await nostr.readBack?.(session, part, io())).toEqual(made);
    expect(textsOf(other)).toEqual(['Dong']);
  });
});

describe('a relay that refuses a deletion', () => {
  /** A relay that takes no deletion, and posts only if `takesPosts`. */
  function refusing(takesPosts: boolean): Promise<string> {
    const stored: { readonly id: string }[] = [];
    return scripted((socket, type, first) => {
      const send = (...message: unknown[]) => socket.send(JSON.stringify(message));
      if (type === 'REQ') {
        for (const event of stored) send('EVENT', first, event);
        return send('EOSE', first);
      }
      const isTaken = takesPosts && (first as { kind?: number }).kind === 1;
      if (isTaken) stored.push(first);
      return send('OK', first.id, isTaken, isTaken ? '' : 'blocked: members only');
    });
  }

  async function postAndDelete(slug: string, relays: readonly string[]) {
    const { id: profileId } = await world.profile();
    const body = { platformId: 'nostr', credentials: credentialFor(relays), slug, profileId };
    await world.rest('POST /connections', { body });
    const { body: made } = await world.rest('POST /posts', { body: { text: slug, connectionSlugs: [slug] } });
    expect(made.results[0].status).toBe('sent');
    return world.rest(`DELETE /posts/${made.results[0].postId}`);
  }

  it('does not keep a post that it does not have', async () => {
    const { status, body } = await postAndDelete('elsewhere', [relay.relay, await refusing(false)]);

    expect([status, body.status]).toEqual([200, 'deleted']);
    expect(textsOf(relay)).not.toContain('elsewhere');
  });

  it('keeps a post that it has, and is named', async () => {
    const storing = await refusing(true);

    const { status, body } = await postAndDelete('kept', [relay.relay, storing]);

    expect([status, body.error]).toEqual([422, 'platform_rejected']);
    expect(body.message).toContain(`${storing} refused: blocked: members only`);
  });
});

describe('limits', () => {
  it('leave room for the addresses of five images', async () => {
    const { body: account } = await world.rest('POST /connections', {
      body: {
        platformId: 'nostr',
        credentials: credentialFor([relay.relay]),
        slug: 'full',
        profileId: (await world.profile()).id,
      },
    });
    expect(account.connection.slug).toBe('full');
    const upload = async (width: number) => {
      const raw = await plain(width, 8).png().toBuffer();
      const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
      return { id: body.media.id as string };
    };
    const media = await Promise.all([11, 12, 13, 14, 15].map(upload));
    const text = 'n'.repeat(LENGTH_MAX - 600);
    const { body: sent } = await world.rest('POST /posts', { body: { text, connectionSlugs: ['full'], media } });

    expect(sent.results[0].status).toBe('sent');
    const content = textsOf(relay).find((one) => one.startsWith(text)) ?? '';
    expect(content.length).toBeGreaterThan(text.length);
    expect(content.length).toBeLessThanOrEqual(LENGTH_MAX);
    const { body: tooLong } = await world.rest('POST /posts/validate', {
      body: { text: `${text}n`, connectionSlugs: ['full'] },
    });
    expect(JSON.stringify(tooLong)).toContain(`Nostr takes at most ${LENGTH_MAX - 600}`);
  });
});

describe('connecting', () => {
  it('takes the newest profile of all relays', async () => {
    const profile = (name: string, seconds: number) =>
      signEvent(
        { kind: 0, createdAt: new Date(seconds * 1_000), tags: [], content: JSON.stringify({ name }) },
        SECRET_KEY,
      );
    const relays = await Promise.all(
      [profile('Old name', 1), profile('New name', 2)].map((event) =>
        scripted((socket, type, id) => {
          if (type !== 'REQ') return;
          socket.send(JSON.stringify(['EVENT', id, event]));
          socket.send(JSON.stringify(['EOSE', id]));
        }),
      ),
    );

    expect((await nostr.connectAccount(credentialFor(relays), io())).handle).toBe('New name');
  });
});

describe('a relay', () => {
  it('that takes the connection and never opens it does not keep a post from being sent', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      cleanups.push(() => socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const slow = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const made = await nostr.publish(await sessionAt(slow, other.relay), headPart('Slow', 'slow', START), io());

    expect(other.events.map(({ id }) => id)).toContain(made.platformPostId);
  });

  it('that sends its challenge only after a refusal gets a sign-in', async () => {
    const taken: string[] = [];
    let isSignedIn = false;
    const late = await scripted((socket, type, { id }) => {
      const answer = (isAccepted: boolean, words: string) => socket.send(JSON.stringify(['OK', id, isAccepted, words]));
      if (type === 'AUTH') {
        isSignedIn = true;
        return answer(true, '');
      }
      if (isSignedIn) {
        taken.push(id);
        return answer(true, '');
      }
      answer(false, 'auth-required: sign in');
      socket.send(JSON.stringify(['AUTH', 'late']));
    });
    const made = await nostr.publish(await sessionAt(late), headPart('Late', 'late', START), io());

    expect(taken).toEqual([made.platformPostId]);
  });

  it('that wants a sign-in and sends no challenge has refused', async () => {
    const mute = await scripted((socket, _type, { id }) => {
      socket.send(JSON.stringify(['OK', id, false, 'auth-required: sign in']));
    });
    const sending = nostr.publish(await sessionAt(mute), headPart('Mute', 'mute', START), io());

    await expect(sending).rejects.toMatchObject({ kind: 'rejected', message: expect.stringContaining(mute) });
  });

  it('that answers with endless notices has not answered', async () => {
    const noisy = await scripted((socket) => {
      const timer = setInterval(() => socket.send(JSON.stringify(['NOTICE', 'x'.repeat(500_000)])), 1);
      socket.on('close', () => clearInterval(timer));
    });
    const sending = nostr.publish(await sessionAt(noisy), headPart('Noise', 'noise', START), io());

    await expect(sending).rejects.toMatchObject({ kind: 'unknown' });
  });
});
