/** Nostr, from the REST API of a running install to a real relay, which checks every signature. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicKeyOf } from '../../platforms/nostr/event.ts';
import { createInstall, LIVE_KEY } from '../crash/install.ts';
import { callsTo, freePort, REPOSITORY } from '../crash/server-process.ts';
import { type FakeNostr, startFakeNostr } from '../platforms/fakes/fake-nostr.ts';
import { plain } from '../harness/images.ts';
import { ensureNostrRelay, NOSTR_CACHE } from './ensure-peers.ts';

const SECRET_KEY = '1'.repeat(64);
const AUTHOR = publicKeyOf(SECRET_KEY);

interface Event {
  readonly id: string;
  readonly kind: number;
  readonly content: string;
  readonly tags: readonly string[][];
}

interface Relay {
  readonly url: string;
  stop(): Promise<void>;
}

const relays: Relay[] = [];
const running: ChildProcess[] = [];
/** Stores images only: no server for them can be installed here. */
let images: FakeNostr;

async function startRelay(mode = ''): Promise<Relay> {
  const process_ = spawn(process.execPath, ['start-nostr-relay.mjs', String(await freePort()), mode], {
    cwd: NOSTR_CACHE,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(process_);
  for await (const line of createInterface({ input: process_.stdout })) {
    const stop = async () => {
      const ended = once(process_, 'exit');
      process_.kill('SIGKILL');
      await ended;
    };
    return { url: (JSON.parse(line) as { relay: string }).relay, stop };
  }
  throw new Error('the relay ended before it was ready');
}

/** The notes of the account on a relay, oldest first, as any client reads them. */
async function notesOn(relay: string): Promise<Event[]> {
  const socket = new WebSocket(relay);
  await once(socket, 'open');
  const events: Event[] = [];
  const complete = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const [type, , event] = JSON.parse(String(data)) as [string, string, Event];
      if (type === 'EVENT') events.push(event);
      if (type === 'EOSE') resolve();
    });
  });
  socket.send(JSON.stringify(['REQ', 'all', { kinds: [1], authors: [AUTHOR] }]));
  await complete;
  socket.close();
  return events.toReversed();
}

let rest: ReturnType<typeof callsTo>['rest'];
let origin = '';
let stop = async () => undefined as void;

beforeAll(async () => {
  await ensureNostrRelay();
  await copyFile(join(REPOSITORY, 'tests/peers/start-nostr-relay.mjs'), join(NOSTR_CACHE, 'start-nostr-relay.mjs'));
  relays.push(await startRelay(), await startRelay(), await startRelay('auth'), await startRelay('small'));
  images = await startFakeNostr({ now: () => new Date() });
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-nostr-'));
  const install = await createInstall({
    dataDir,
    settings: { OUTBOUND_ALLOW: '127.0.0.0/8', NOSTR_MEDIA_URL: images.url },
    template: undefined,
  });
  origin = (await install.start()).url;
  ({ rest } = callsTo(origin));
  stop = async () => {
    await install[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
});

afterAll(async () => {
  await stop();
  for (const process_ of running) process_.kill('SIGKILL');
  await images?.close();
});

const urlOf = (index: number) => relays[index]?.url ?? '';

async function connect(slug: string, addresses: readonly string[], secretKey = SECRET_KEY) {
  const { body: made } = await rest('POST /profiles', { body: { name: slug } });
  const credentials = { secretKey, relays: addresses.join(' ') };
  const body = { platformId: 'nostr', credentials, slug, profileId: made.profile.id };
  return rest('POST /connections', { body });
}

async function post(slug: string, text: string, more: object = {}) {
  return (await rest('POST /posts', { body: { text, connectionSlugs: [slug], ...more } })).body.results[0];
}

describe('real relays', () => {
  it('verify an account by its key, and take a post, which both have', async () => {
    const { status, body } = await connect('both', [urlOf(0), urlOf(1)]);
    expect([status, body.connection]).toEqual([
      200,
      expect.objectContaining({ handle: expect.stringMatching(/^npub1/) }),
    ]);

    const result = await post('both', 'Hello, relays');

    expect(result).toMatchObject({ status: 'sent', error: null, url: expect.stringMatching(/\/nevent1[a-z0-9]+$/) });
    for (const index of [0, 1])
      expect((await notesOn(urlOf(index))).map(({ content }) => content)).toEqual(['Hello, relays']);
  });

  it('take a thread whose replies name the post and each other, and delete it', async () => {
    const { postId } = await post('both', 'One', { thread: ['Two', 'Three'] });

    const [head, second, third] = (await notesOn(urlOf(0))).slice(-3);
    const marks = (event: Event | undefined) =>
      event?.tags.filter(([tag]) => tag === 'e').map(([, id, , mark]) => [id, mark]);
    expect(new Set([head?.content, second?.content, third?.content])).toEqual(new Set(['One', 'Two', 'Three']));
    const byText = (text: string) => [head, second, third].find((event) => event?.content === text);
    expect(marks(byText('Two'))).toEqual([[byText('One')?.id, 'root']]);
    expect(marks(byText('Three'))).toEqual([
      [byText('One')?.id, 'root'],
      [byText('Two')?.id, 'reply'],
    ]);
    expect((await rest(`DELETE /posts/${postId}`)).body).toMatchObject({ status: 'deleted' });
    for (const index of [0, 1]) expect(await notesOn(urlOf(index))).toHaveLength(1);
  });

  it('have a post once whose answer was lost', async () => {
    await connect('lossy', [urlOf(0)]);

    const result = await post('lossy', 'Once [[lost]]');

    const notes = await notesOn(urlOf(0));
    expect(result).toMatchObject({ status: 'sent', error: null });
    expect(notes.filter(({ content }) => content === 'Once [[lost]]')).toHaveLength(1);
  });

  it('that want a sign-in get one', async () => {
    expect((await connect('members', [urlOf(2)])).status).toBe(200);

    expect(await post('members', 'For members')).toMatchObject({ status: 'sent', error: null });

    expect((await notesOn(urlOf(2))).map(({ content }) => content)).toEqual(['For members']);
  });

  it('keep two posts with one text, and an image with its description, within the limit that they state', async () => {
    expect((await connect('small', [urlOf(3)])).status).toBe(200);
    const raw = await plain(12, 8).png().toBuffer();
    const media = await fetch(`${origin}/api/v2/media`, {
      method: 'POST',
      headers: { 'x-api-key': LIVE_KEY, 'content-type': 'image/png' },
      body: raw,
    });
    const { media: image } = (await media.json()) as { media: { id: string } };
    const longest = 'n'.repeat(500);

    expect((await post('small', `${longest}n`)).error.message).toContain('at most 500');
    expect(await post('small', 'Twice')).toMatchObject({ status: 'sent' });
    expect(await post('small', 'Twice')).toMatchObject({ status: 'sent' });
    const sent = await post('small', longest, { media: [{ id: image.id, altText: 'A bell' }] });

    expect(sent).toMatchObject({ status: 'sent', error: null });
    const notes = await notesOn(urlOf(3));
    const [address = ''] = images.images.values();
    expect(notes.map(({ content }) => content).toSorted()).toEqual(
      ['Twice', 'Twice', `${longest}\n\n${address}`].toSorted(),
    );
    const described = notes.find(({ content }) => content.includes(address))?.tags.find(([tag]) => tag === 'imeta');
    expect(described).toEqual(expect.arrayContaining([`url ${address}`, 'dim 12x8', 'alt A bell']));
  });

  it('that cannot be reached do not hold a post up, but keep it from being deleted', async () => {
    await relays[1]?.stop();

    const result = await post('both', 'One relay left');
    const removal = await rest(`DELETE /posts/${result.postId}`);

    expect(result).toMatchObject({ status: 'sent', error: null });
    expect([removal.status, removal.body.error]).toEqual([503, 'platform_unavailable']);
    expect(removal.body.message).toContain(urlOf(1));
  });

  it('are named when they do not answer while connecting', async () => {
    const { status, body } = await connect('nowhere', [urlOf(0), urlOf(1)]);

    expect([status, body.error]).toEqual([422, 'platform_rejected']);
    expect(body.message).toContain(urlOf(1));
    expect(JSON.stringify(body)).not.toContain(SECRET_KEY);
  });
});
