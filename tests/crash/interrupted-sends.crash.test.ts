/**
 * A send whose process is killed at each step of the ledger: the post is still published exactly once
 * (docs/contract/posts.md#interrupted-sends).
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FakeBluesky, startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';
import { type FakeMastodon, startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';
import {
  attemptsOf,
  eachOnce,
  eventsAbout,
  ONE_SENDING,
  oneAccepted,
  post,
  postAndLeave,
  postOf,
  SANDBOX,
  settled,
  startAgain,
  tally,
} from './posts.ts';
import { ENGINE, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const now = () => new Date();
const PASSWORD = 'abcd-efgh-ijkl-mnop';
const TOKEN = 'token-of-alice';
const PUT = 'com.atproto.repo.putRecord';
const CREATE = 'POST /api/v1/statuses';

async function bluesky(): Promise<FakeBluesky> {
  const fake = await startFakeBluesky({ now });
  onTestFinished(() => fake.close());
  fake.addAccount('alice.test', PASSWORD);
  return fake;
}

async function mastodon(): Promise<FakeMastodon> {
  const fake = await startFakeMastodon({ now });
  onTestFinished(() => fake.close());
  fake.addAccount('alice', TOKEN);
  return fake;
}

async function connect(server: ServerProcess, platformId: string, credentials: object): Promise<string> {
  const { status, body } = await server.rest('POST /connections', { body: { platformId, credentials, slug: 'alice' } });
  expect(status).toBe(200);
  return body.connection.slug;
}

const toBluesky = (server: ServerProcess) =>
  connect(server, 'bluesky', { identifier: 'alice.test', appPassword: PASSWORD });
const toMastodon = (server: ServerProcess, { url: instanceUrl }: FakeMastodon) =>
  connect(server, 'mastodon', { instanceUrl, accessToken: TOKEN });

describe(`on ${ENGINE}, killed before the platform received the post`, () => {
  it('sends to the sandbox exactly once after the restart', async () => {
    const install = await newInstall();
    const first = await install.start();
    const postId = await postAndLeave(first, SANDBOX, 'slowly [[slow 2000]]');
    expect(await attemptsOf(first, postId)).toEqual(ONE_SENDING);

    await first.kill9();

    expect(await tally(install)).toMatchObject({ on_the_timeline: 0, attempts: 1, accepted: 0, events: 0 });
    const second = await startAgain(install);
    const sent = await settled(second, postId);
    expect(sent).toMatchObject({ status: 'sent', error: null });
    expect(await attemptsOf(second, postId)).toEqual(oneAccepted(sent.platformPostId));
    await second.stop();
    expect(await tally(install)).toEqual(eachOnce(1));
  });

  it('sends to Bluesky exactly once after the restart', async () => {
    const fake = await bluesky();
    const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
    const first = await install.start();
    const slug = await toBluesky(first);
    fake.faults.push('holds_before');
    const postId = await postAndLeave(first, slug, 'hello');
    await waitUntil('the platform is asked', () => fake.calls[PUT] === 1);

    await first.kill9();

    const second = await startAgain(install);
    const sent = await settled(second, postId);
    expect(sent.status).toBe('sent');
    expect(fake.posts().map(({ uri, record }) => [uri, record.text])).toEqual([[sent.platformPostId, 'hello']]);
    expect(await attemptsOf(second, postId)).toEqual(oneAccepted(sent.platformPostId));
    await second.stop();
    expect(await eventsAbout(install, postId)).toEqual(['post.sent']);
  });

  it('sends to Mastodon exactly once after the restart', async () => {
    const fake = await mastodon();
    const install = await newInstall();
    const first = await install.start();
    const slug = await toMastodon(first, fake);
    fake.faults.push('holds_before');
    const postId = await postAndLeave(first, slug, 'hello');
    await waitUntil('the platform is asked', () => fake.calls[CREATE] === 1);

    await first.kill9();

    const second = await startAgain(install);
    const sent = await settled(second, postId);
    expect(sent.status).toBe('sent');
    expect(fake.posts().map(({ id, text }) => [id, text])).toEqual([[sent.platformPostId, 'hello']]);
    expect(await attemptsOf(second, postId)).toEqual(oneAccepted(sent.platformPostId));
    await second.stop();
    expect(await eventsAbout(install, postId)).toEqual(['post.sent']);
  });
});

describe(`on ${ENGINE}, killed when the platform had published the post but not answered`, () => {
  it('adopts the record on Bluesky and requests no second one', async () => {
    const fake = await bluesky();
    const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
    const first = await install.start();
    const slug = await toBluesky(first);
    fake.faults.push('holds_after');
    const postId = await postAndLeave(first, slug, 'hello');
    const existing = await waitUntil('the post is out', () => fake.posts()[0]);
    expect(await attemptsOf(first, postId)).toEqual(ONE_SENDING);

    await first.kill9();

    const second = await startAgain(install);
    expect(await settled(second, postId)).toMatchObject({ status: 'sent', platformPostId: existing.uri, error: null });
    expect(fake.posts()).toEqual([existing]);
    expect(fake.calls[PUT]).toBe(1);
    expect(await attemptsOf(second, postId)).toEqual(oneAccepted(existing.uri));
    await second.stop();
    expect(await eventsAbout(install, postId)).toEqual(['post.sent']);
  });

  it('adopts the status on Mastodon and requests no second one', async () => {
    const fake = await mastodon();
    const install = await newInstall();
    const first = await install.start();
    const slug = await toMastodon(first, fake);
    fake.faults.push('holds_after');
    const postId = await postAndLeave(first, slug, 'hello');
    const existing = await waitUntil('the post is out', () => fake.posts()[0]);

    await first.kill9();

    const second = await startAgain(install);
    expect(await settled(second, postId)).toMatchObject({ status: 'sent', platformPostId: existing.id, error: null });
    expect(fake.posts()).toEqual([existing]);
    expect(fake.calls[CREATE]).toBe(1);
    expect(await attemptsOf(second, postId)).toEqual(oneAccepted(existing.id));
    await second.stop();
    expect(await eventsAbout(install, postId)).toEqual(['post.sent']);
  });

  it('adopts it after a second kill, in the middle of the recovery', async () => {
    const fake = await bluesky();
    const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
    const first = await install.start();
    const slug = await toBluesky(first);
    fake.faults.push('holds_before', 'holds_after');
    const postId = await postAndLeave(first, slug, 'hello');
    await waitUntil('the platform is asked', () => fake.calls[PUT] === 1);
    await first.kill9();
    const second = await startAgain(install);
    const existing = await waitUntil('the post is out', () => fake.posts()[0]);

    await second.kill9();

    const third = await startAgain(install);
    expect(await settled(third, postId)).toMatchObject({ status: 'sent', platformPostId: existing.uri });
    expect(fake.posts()).toEqual([existing]);
    expect(fake.calls[PUT]).toBe(2);
    expect(await attemptsOf(third, postId)).toEqual(oneAccepted(existing.uri));
    await third.stop();
    expect(await eventsAbout(install, postId)).toEqual(['post.sent']);
  });

  it('reports an unknown outcome when the platform hides the post', async () => {
    const install = await newInstall();
    const first = await install.start();
    const postId = await postAndLeave(first, SANDBOX, 'where? [[vanish]] [[slow 2000]]');

    await first.kill9();

    const second = await startAgain(install);
    expect(await settled(second, postId)).toMatchObject({
      status: 'failed',
      platformPostId: null,
      url: null,
      error: { code: 'outcome_unknown', message: expect.stringContaining('it is not known whether the post went out') },
    });
    await second.stop();
    expect(await eventsAbout(install, postId)).toEqual(['post.failed']);
    expect(await tally(install)).toMatchObject({ on_the_timeline: 1, calls: 1, attempts: 1 });
  });
});

describe(`on ${ENGINE}, killed right after the answer`, () => {
  it('keeps a sent post as it was answered', async () => {
    const install = await newInstall();
    const first = await install.start();
    const result = await post(first, SANDBOX, 'done');

    await first.kill9();

    const second = await startAgain(install);
    const kept = await postOf(second, result.postId);
    expect(kept).toMatchObject({ status: 'sent', text: 'done', url: result.url, error: null });
    expect(await attemptsOf(second, result.postId)).toEqual(oneAccepted(kept.platformPostId));
    await second.stop();
    expect(await tally(install)).toEqual(eachOnce(1));
  });

  it('keeps a scheduled post, and sends it when it is due', async () => {
    const install = await newInstall();
    const first = await install.start();
    const at = new Date(Date.now() + 6_000);
    const result = await post(first, SANDBOX, 'later', at);

    await first.kill9();

    const second = await startAgain(install);
    expect(await settled(second, result.postId)).toMatchObject({ status: 'sent', scheduledFor: at.toISOString() });
    await second.stop();
    expect(await tally(install)).toEqual(eachOnce(1));
  });
});

describe(`on ${ENGINE}, killed while a post is being deleted`, () => {
  it.each(['holds_before', 'holds_after'] as const)(
    'deletes it on the next request, and closes the interrupted call (%s)',
    async (fault) => {
      const fake = await bluesky();
      const install = await newInstall({ BLUESKY_SERVICE_URL: fake.url });
      const first = await install.start();
      const { postId } = await post(first, await toBluesky(first), 'hello');
      fake.deleteFaults.push(fault);
      first.rest(`DELETE /posts/${postId}`).catch(() => undefined);
      await waitUntil('the platform is asked', () => fake.calls['com.atproto.repo.deleteRecord'] === 1);
      expect(await statesOf(first, postId)).toEqual(['head accepted', 'delete sending']);

      await first.kill9();

      await install.sql(`update attempts set started_at = started_at - interval '10 minutes' where step = 'delete'`);
      const second = await startAgain(install);
      // Alone on its database, the start of a process finishes the deletion itself.
      if (ENGINE === 'postgres') expect((await postOf(second, postId)).status).toBe('sent');
      await waitUntil('the call is closed', async () => (await statesOf(second, postId))[1] === 'delete unknown');
      const again = await second.rest(`DELETE /posts/${postId}`);
      expect(again.body).toEqual({ id: postId, status: 'deleted', deletedAt: expect.any(String) });
      expect(fake.posts()).toEqual([]);
      expect(await statesOf(second, postId)).toEqual(['head accepted', 'delete unknown', 'delete accepted']);
      await second.stop();
      expect(await eventsAbout(install, postId)).toEqual(['post.sent', 'post.deleted']);
    },
  );
});

async function statesOf(server: ServerProcess, postId: string): Promise<string[]> {
  const { attempts } = (await attemptsOf(server, postId)) as { attempts: { step: string; state: string }[] };
  return attempts.map(({ step, state }) => `${step} ${state}`);
}
