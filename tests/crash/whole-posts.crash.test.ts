/** Threads, images and keyed requests whose process is killed midway: nothing is published twice or left incomplete. */
import { Buffer } from 'node:buffer';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FakeBluesky, startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';
import { eventsAbout, letLeasesRunOut, SANDBOX, settled, startAgain, tally } from './posts.ts';
import { ENGINE, type Install, LIVE_KEY, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const PUT = 'com.atproto.repo.putRecord';
const UPLOAD = 'com.atproto.repo.uploadBlob';

async function bluesky(): Promise<FakeBluesky> {
  const fake = await startFakeBluesky({ now: () => new Date() });
  onTestFinished(() => fake.close());
  fake.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  return fake;
}

async function connect(server: ServerProcess): Promise<void> {
  const credentials = { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' };
  const { status } = await server.rest('POST /connections', {
    body: { platformId: 'bluesky', credentials, slug: 'alice' },
  });
  expect(status).toBe(200);
}

/** Lets this many create calls pass, and delays the answer of the next. */
function holdAfter(fake: FakeBluesky, passing: number, fault: 'holds_before' | 'holds_after'): void {
  const faults = fake.faults as unknown[];
  faults.push(...Array.from({ length: passing }, () => undefined), fault);
}

const texts = (fake: FakeBluesky) => fake.posts().map(({ record }) => record.text);

async function onlyPost(server: ServerProcess): Promise<string> {
  return waitUntil('the post is being sent', async () => {
    const { body } = await server.rest('GET /posts?status=processing');
    return body.posts[0]?.id as string | undefined;
  });
}

/** Starts again, and expires the leases of the killed process when other processes could hold them. */
async function restart(install: Install): Promise<ServerProcess> {
  const server = await startAgain(install);
  if (ENGINE === 'postgres') await letLeasesRunOut(install);
  return server;
}

describe(`on ${ENGINE}, a thread`, () => {
  it.each(['holds_before', 'holds_after'] as const)(
    'continues at the reply whose answer %s it was stored',
    async (fault) => {
      const fake = await bluesky();
      const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
      const first = await install.start();
      await connect(first);
      holdAfter(fake, 2, fault);
      const body = { text: 'head', connectionSlugs: ['alice'], thread: ['one', 'two', 'three'] };
      first.rest('POST /posts', { body }).catch(() => undefined);
      const postId = await onlyPost(first);
      await waitUntil('the second reply is asked for', () => fake.calls[PUT] === 3);

      await first.kill9();

      const second = await restart(install);
      expect(await settled(second, postId)).toMatchObject({ status: 'sent', error: null });
      expect(texts(fake)).toEqual(['head', 'one', 'two', 'three']);
      const ledger = (await second.rest(`GET /posts/${postId}/attempts`)).body.attempts;
      expect(
        ledger.map(
          ({ step, index, state }: { step: string; index: number; state: string }) => `${step} ${index} ${state}`,
        ),
      ).toEqual(['head 0 accepted', 'reply 0 accepted', 'reply 1 accepted', 'reply 2 accepted']);
      await second.stop();
      expect(await eventsAbout(install, postId)).toEqual(['post.sent']);
    },
  );
});

describe(`on ${ENGINE}, a post with an image`, () => {
  it('keeps its image, and is published once, when the process is killed before the answer', async () => {
    const fake = await bluesky();
    const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
    const first = await install.start();
    await connect(first);
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#c60' } })
      .png()
      .toBuffer();
    const uploaded = await fetch(`${first.url}/api/v2/media?altText=A%20square`, {
      method: 'POST',
      headers: { 'x-api-key': LIVE_KEY, 'content-type': 'image/png' },
      body: Buffer.from(png),
    });
    const { media } = (await uploaded.json()) as { media: { id: string } };
    holdAfter(fake, 0, 'holds_after');
    const body = { text: 'with a square', connectionSlugs: ['alice'], mediaIds: [media.id] };
    first.rest('POST /posts', { body }).catch(() => undefined);
    const postId = await onlyPost(first);
    await waitUntil('the post is out', () => fake.calls[PUT] === 1);

    await first.kill9();

    const second = await restart(install);
    expect(await settled(second, postId)).toMatchObject({ status: 'sent', error: null });
    expect(texts(fake)).toEqual(['with a square']);
    expect([fake.calls[PUT], fake.calls[UPLOAD]]).toEqual([1, 1]);
    await second.stop();
  });
});

describe(`on ${ENGINE}, a request with an Idempotency-Key`, () => {
  const body = { text: 'keyed [[slow 2000]]', connectionSlugs: [SANDBOX, 'nowhere'] };
  const keyed = { body, headers: { 'idempotency-key': 'once and for all' } };

  it('is answered from the ledger after the restart, and posted once', async () => {
    const install = await newInstall();
    const first = await install.start();
    first.rest('POST /posts', keyed).catch(() => undefined);
    const postId = await onlyPost(first);

    await first.kill9();

    const second = await restart(install);
    const during = await second.rest('POST /posts', keyed);
    await settled(second, postId);
    const after = await second.rest('POST /posts', keyed);
    const again = await second.rest('POST /posts', keyed);
    expect([200, 409]).toContain(during.status);
    expect([after.status, after.body.results.map(({ status }: { status: string }) => status)]).toEqual([
      200,
      ['sent', 'failed'],
    ]);
    expect(after.body.results[0].postId).toBe(postId);
    expect(again.body).toEqual(after.body);
    await second.stop();
    expect(await tally(install)).toMatchObject({ posts: 1, on_the_timeline: 1, calls: 1, sent_events: 1 });
  });

  it('counts as a first request when the process was killed before it stored anything', async () => {
    const install = await newInstall();
    const first = await install.start();
    const sent = first.rest('POST /posts', keyed).catch(() => undefined);
    await first.kill9();
    await sent;

    const second = await restart(install);
    const answer = await waitUntil('the request is answered', async () => {
      const repeated = await second.rest('POST /posts', keyed);
      return repeated.status === 200 && repeated;
    });

    expect(answer.body.results.map(({ status }: { status: string }) => status)).toEqual(['sent', 'failed']);
    await second.stop();
    expect(await tally(install)).toMatchObject({ posts: 1, on_the_timeline: 1, sent_events: 1 });
  });
});
