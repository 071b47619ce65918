/** Posts for crash tests, and readers of their recorded outcomes. */
import { expect } from 'vitest';
import { ENGINE, type Install, type RestAnswer, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** Slug of the connection that the first start creates. */
export const SANDBOX = 'sandbox';

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;

/** A post as GET /posts/{postId} shows it. */
export interface PostBody {
  readonly id: string;
  readonly status: string;
  readonly text: string;
  readonly url: string | null;
  readonly platformPostId: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Posts to one connection and waits for the answer. */
export async function post(
  server: ServerProcess,
  slug: string,
  text: string,
  scheduledFor?: Date,
): Promise<RestAnswer['body']> {
  const answer = await server.rest('POST /posts', {
    body: {
      text,
      connectionSlugs: [slug],
      ...(scheduledFor === undefined ? {} : { scheduledFor: scheduledFor.toISOString() }),
    },
  });
  if (answer.status !== 200) throw new Error(`the post was not taken: ${JSON.stringify(answer.body)}`);
  return answer.body.results[0];
}

/** Posts to one connection and returns the id as soon as the post is stored; the answer may never arrive. */
export async function postAndLeave(server: ServerProcess, slug: string, text: string): Promise<string> {
  post(server, slug, text).catch(() => undefined);
  const found = await waitUntil('the post is being sent', async () => {
    const { body } = await server.rest('GET /posts?status=processing');
    return (body.posts as PostBody[]).find((stored) => stored.text === text);
  });
  return found.id;
}

/** Schedules this many posts, each with a text, and returns their ids in order. */
export async function schedule(server: ServerProcess, texts: readonly string[], at: Date): Promise<string[]> {
  const results = await Promise.all(texts.map((text) => post(server, SANDBOX, text, at)));
  return results.map((result) => result.postId as string);
}

/** Sends in progress in a process, as it reports them. */
export async function sendsOf(server: ServerProcess): Promise<number> {
  const { body } = await server.get('/metrics');
  return Number(/^carillon_sends_in_flight (\d+)$/m.exec(body)?.[1]);
}

export async function postOf(server: ServerProcess, postId: string): Promise<PostBody> {
  return (await server.rest(`GET /posts/${postId}`)).body.post;
}

/** Waits until a post is neither waiting nor being sent, and returns it. */
export function settled(server: ServerProcess, postId: string): Promise<PostBody> {
  return waitUntil('the post is settled', async () => {
    const present = await postOf(server, postId);
    return !['scheduled', 'processing'].includes(present.status) && present;
  });
}

/** The ledger of a post. */
export async function attemptsOf(server: ServerProcess, postId: string): Promise<unknown> {
  return (await server.rest(`GET /posts/${postId}/attempts`)).body;
}

/** The ledger of a published post, however often its process died. */
export function oneAccepted(platformPostId: string | null): unknown {
  const attempt = {
    id: ID,
    step: 'head',
    index: 0,
    state: 'accepted',
    startedAt: TIME,
    settledAt: TIME,
    platformPostId,
    error: null,
  };
  return { attempts: [attempt], nextCursor: null };
}

/** The ledger while the platform has not answered. */
export const ONE_SENDING: unknown = {
  attempts: [
    {
      id: ID,
      step: 'head',
      index: 0,
      state: 'sending',
      startedAt: TIME,
      settledAt: null,
      platformPostId: null,
      error: null,
    },
  ],
  nextCursor: null,
};

/** Names of the events about a post, oldest first. */
export async function eventsAbout(install: Install, postId: string): Promise<string[]> {
  const rows = await install.sql<{ name: string }>('select name from events where subject_id = $1 order by id', [
    postId,
  ]);
  return rows.map((row) => row.name);
}

/**
 * Starts the server again after it was killed. On PostgreSQL other workers may be running, so an interrupted send waits
 * for its lease of a minute. This helper ends that minute at once.
 */
export async function startAgain(install: Install, env?: Record<string, string>): Promise<ServerProcess> {
  if (ENGINE === 'postgres') await letLeasesRunOut(install);
  return install.start(env);
}

export async function letLeasesRunOut(install: Install): Promise<void> {
  await install.sql(`update posts set claimed_until = now() - interval '1 second' where status = 'processing'`);
}

/** Counts of everything that may exist only once per post. */
export async function tally(install: Install): Promise<unknown> {
  const [row] = await install.sql(`select
    (select count(*)::int from posts) as posts,
    (select count(*)::int from posts where status = 'sent') as sent,
    (select count(*)::int from sandbox_posts) as on_the_timeline,
    (select count(distinct text)::int from sandbox_posts) as different_texts,
    (select coalesce(sum(calls), 0)::int from sandbox_posts) as calls,
    (select count(*)::int from attempts) as attempts,
    (select count(*)::int from attempts where state = 'accepted') as accepted,
    (select count(*)::int from events where name = 'post.sent') as sent_events,
    (select count(*)::int from events where name like 'post.%' and name <> 'post.metrics') as events`);
  return row;
}

/** The expected tally when `count` posts were published, each exactly once. */
export function eachOnce(count: number): unknown {
  return {
    posts: count,
    sent: count,
    on_the_timeline: count,
    different_texts: count,
    calls: count,
    attempts: count,
    accepted: count,
    sent_events: count,
    events: count,
  };
}
