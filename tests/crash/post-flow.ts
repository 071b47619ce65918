/**
 * Immediate posts, scheduled posts and webhooks that flow while something happens to the database, and what must hold
 * afterwards: nothing that was answered 200 is lost, and nothing is doubled.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';
import { allSettled } from './all-settled.ts';
import type { PostBody } from './posts.ts';
import { register, startReceiver } from './receiver.ts';
import type { RestAnswer, ServerProcess } from './server-process.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './wait-until.ts';

/** The platform takes twice this for a call, so that at each instant sends are in progress. */
const PLATFORM_DELAY_MS = 300;

/** Longest time that the platform takes for an answer, with some room. */
export const PLATFORM_ANSWER_MS = 1_000;

/** Accounts that are posted to in turns. */
const SLUGS = ['one', 'two', 'three'];

/** Posters of immediate posts, each with one request at a time. */
const POSTERS = 3;

const RETRY_MS = 100;

export interface PostFlow {
  /** Schedules a post every 200 ms for a while, from one second after now. */
  schedule(forMs: number): Promise<void>;
  /** Posts immediate posts until {@link PostFlow.settle}; a request that fails is repeated with its Idempotency-Key. */
  post(): void;
  /** Ends the immediate posts, and waits until all posts are settled and announced. */
  settle(timeoutMs?: number): Promise<void>;
  /** Compares what was answered 200 with the database, the platform and the receiver. */
  expectEachOnce(): Promise<void>;
  /** Number of posts that were answered 200. */
  readonly accepted: number;
  /** Number of answers other than 200, and of requests without one. */
  readonly failures: number;
}

export async function startPostFlow(web: ServerProcess): Promise<PostFlow> {
  const platform = await startFakeMastodon({ now: () => new Date() });
  onTestFinished(() => platform.close());
  const slowly = await startTcpProxy(Number(new URL(platform.url).port));
  slowly.delayMs = PLATFORM_DELAY_MS;
  const instanceUrl = `http://127.0.0.1:${slowly.port}`;
  for (const slug of SLUGS) {
    platform.addAccount(slug, `token-of-${slug}`);
    const credentials = { instanceUrl, accessToken: `token-of-${slug}` };
    const { status, body } = await web.rest('POST /connections', {
      body: { platformId: 'mastodon', credentials, slug },
    });
    if (status !== 200) throw new Error(`no connection: ${JSON.stringify(body)}`);
  }
  const receiver = await startReceiver();
  await register(web, receiver.url);

  const accepted = new Map<string, string>();
  let failures = 0;
  const stopped = new AbortController();
  const posting: Promise<void>[] = [];
  const slugOf = (index: number) => SLUGS[index % SLUGS.length] ?? '';

  const post = async (text: string, slug: string, scheduledFor?: Date) => {
    const body = {
      text,
      connectionSlugs: [slug],
      ...(scheduledFor === undefined ? {} : { scheduledFor: scheduledFor.toISOString() }),
    };
    const ask = () => web.rest('POST /posts', { body, headers: { 'idempotency-key': text } }).catch(() => null);
    let answer: RestAnswer | null = await ask();
    while (answer?.status !== 200) {
      // Repeating a request that is wrong, such as one for a time in the past, would never end.
      if (answer?.status === 400) throw new Error(`a post was refused: ${JSON.stringify(answer.body)}`);
      failures += 1;
      await wait(RETRY_MS);
      answer = await ask();
    }
    const [result] = answer.body.results;
    expect(result).toMatchObject({ status: scheduledFor === undefined ? 'sent' : 'scheduled' });
    accepted.set(text, result.postId);
  };

  const postRepeatedly = async (poster: number) => {
    for (let count = 0; !stopped.signal.aborted; count += 1) await post(`now ${poster} ${count}`, slugOf(poster));
  };

  return {
    schedule: async (forMs) => {
      // A busy machine stores them late, and refuses a time that has passed.
      const from = Date.now() + 5_000;
      const times = Array.from({ length: forMs / 200 }, (_, index) => new Date(from + index * 200));
      await Promise.all(times.map((at, index) => post(`at ${from} ${index}`, slugOf(index), at)));
    },
    post: () => {
      posting.push(...Array.from({ length: POSTERS }, (_, poster) => postRepeatedly(poster)));
    },
    settle: async (timeoutMs = 60_000) => {
      stopped.abort();
      const answered = Promise.all(posting).then(() => true);
      await waitUntil('each poster has its answer', () => Promise.race([answered, Promise.resolve(false)]), timeoutMs);
      await allSettled(web, timeoutMs);
      const announced = () => new Set(receiver.received.map(({ text }) => text)).size;
      await waitUntil('all posts are announced', () => announced() === accepted.size, timeoutMs);
    },
    expectEachOnce: async () => {
      const texts = [...accepted.keys()].toSorted();
      const stored = await Promise.all(
        [...accepted.values()].map(async (postId) => (await web.rest(`GET /posts/${postId}`)).body.post as PostBody),
      );
      expect(stored.filter(({ status }) => status !== 'sent')).toEqual([]);
      expect(
        platform
          .posts()
          .map(({ text }) => text)
          .toSorted(),
      ).toEqual(texts);
      const events = new Map(receiver.received.map(({ eventId, text }) => [eventId, text]));
      expect([...events.values()].toSorted()).toEqual(texts);
    },
    get accepted() {
      return accepted.size;
    },
    get failures() {
      return failures;
    },
  };
}
