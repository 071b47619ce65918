/** `posts list`, `posts show`, and the commands that change one post or read its metrics. */
import { hasErrorCode } from '../client/errors.ts';
import { type Answer, type Call, type CommandSpec, hasFlag, type OptionSpec, valueOf, valuesOf } from './command.ts';
import { CommandError } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { answerOfResults, type PostResult } from './post-results.ts';
import { repeatCall } from './repeat-call.ts';
import { sendPost } from './send-post.ts';
import { clientOf, type Client } from './signed-in.ts';
import { facts, painter, plainText, table } from './terminal-text.ts';
import { WHEN_OPTIONS, whenOf } from './when-options.ts';

const POST_ID = '<post id>';

/** The options of every list. */
export const PAGE_OPTIONS: readonly OptionSpec[] = [
  { flags: '--limit <number>', text: 'How many to show.' },
  { flags: '--cursor <cursor>', text: 'Where to continue: nextCursor of the page before.' },
];

export const POSTS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'posts list',
    summary: 'List posts, newest first.',
    options: [
      {
        flags: '--status <status>',
        text: 'Only posts that are sent, scheduled, processing, draft, failed, cancelled or deleted.',
      },
      { flags: '--to <connection>', text: 'Only posts to this connection, by slug or id.' },
      {
        flags: '--tag <tag>',
        text: 'Only posts with this tag. Repeat it for posts with all of several.',
        isRepeated: true,
      },
      { flags: '--search <words>', text: 'Only posts whose text has all of these words.' },
      ...PAGE_OPTIONS,
    ],
    run: (call) => list(call, valueOf(call, 'status')),
  },
  { name: 'posts show', summary: 'Show a post.', operands: [POST_ID], run: show },
  {
    name: 'drafts list',
    summary: 'List drafts, newest first.',
    options: PAGE_OPTIONS,
    run: (call) => list(call, 'draft'),
  },
  {
    name: 'drafts publish',
    summary: 'Publish a draft now, at a time or in the queue.',
    operands: [POST_ID],
    options: WHEN_OPTIONS,
    run: async (call) => {
      const [client, when, idempotencyKey] = [await clientOf(call.io), whenOf(call), call.io.random.uuid()];
      return settled(
        call,
        await repeatCall(call, () => client.posts.publish.mutate({ postId: idOf(call), ...when, idempotencyKey })),
      );
    },
  },
  {
    name: 'schedule',
    summary: 'Move a scheduled post to another time or into the queue.',
    operands: [POST_ID],
    options: WHEN_OPTIONS,
    run: async (call) => {
      const when = whenOf(call);
      if (when.scheduledFor === undefined && when.queue === undefined)
        throw new UsageError('Name the new time with --at or --queue.');
      return settled(call, await (await clientOf(call.io)).posts.reschedule.mutate({ postId: idOf(call), ...when }));
    },
  },
  {
    name: 'retry',
    summary: 'Send a failed post again, now, at a time or in the queue.',
    operands: [POST_ID],
    options: [
      ...WHEN_OPTIONS,
      {
        flags: '--force',
        text: 'Send again although the first send may have published the post. Check the platform first.',
      },
    ],
    run: async (call) => {
      const [client, force] = [await clientOf(call.io), hasFlag(call, 'force')];
      const input = { postId: idOf(call), ...whenOf(call), ...(force ? { force } : {}) };
      const send = () => client.posts.retry.mutate(input);
      // Without --force the service does not send again what may be up.
      return settled(call, await (force ? sendPost(call, send, []) : send()));
    },
  },
  { name: 'cancel', summary: 'Cancel a scheduled post or delete a draft.', operands: [POST_ID], run: cancel },
  { name: 'take-down', summary: 'Delete a sent post from its platform.', operands: [POST_ID], run: takeDown },
  {
    name: 'metrics',
    summary: 'Show the metrics of a post. Empty: the platform does not report the number.',
    operands: [POST_ID],
    run: metrics,
  },
];

function idOf({ operands }: Call): string {
  return operands[0] ?? '';
}

/** The page that the options ask for. @throws UsageError */
export function pageOf(call: Call): { limit?: number; cursor?: string } {
  const [limit, cursor] = [valueOf(call, 'limit'), valueOf(call, 'cursor')];
  if (limit !== undefined && !/^\d{1,4}$/.test(limit))
    throw new UsageError(`--limit is a whole number, not "${limit}".`);
  return { ...(limit === undefined ? {} : { limit: Number(limit) }), ...(cursor === undefined ? {} : { cursor }) };
}

/** How to read on, below a page that is not the last. */
export function moreText(nextCursor: string | null): string {
  return nextCursor === null ? '' : `More with --cursor ${nextCursor}\n`;
}

type Post = Awaited<ReturnType<Client['posts']['get']['query']>>['post'];

type ListInput = NonNullable<Parameters<Client['posts']['list']['query']>[0]>;

async function list(call: Call, status: string | undefined): Promise<Answer> {
  const { io } = call;
  const [connection, tag, q] = [valueOf(call, 'to'), valuesOf(call, 'tag'), valueOf(call, 'search')];
  const page = pageOf(call);
  const input = {
    // The server names the values that it accepts.
    ...(status === undefined ? {} : { status: status as Exclude<ListInput['status'], undefined> }),
    ...(connection === undefined ? {} : { connection }),
    ...(tag.length === 0 ? {} : { tag }),
    ...(q === undefined ? {} : { q }),
    ...page,
  };
  const body = await (await clientOf(io)).posts.list.query(input);
  const rows = body.posts.map((post) => [
    post.id,
    post.status,
    post.connectionSlug,
    post.scheduledFor ?? post.createdAt,
    post.text,
  ]);
  const text = table(io.stdout, painter(io.stdout, io.env), ['ID', 'STATUS', 'CONNECTION', 'TIME', 'TEXT'], rows);
  return { body, text: text + moreText(body.nextCursor) };
}

async function show(call: Call): Promise<Answer> {
  const body = await (await clientOf(call.io)).posts.get.query({ postId: idOf(call) });
  const { post } = body;
  const head = facts([
    ['id', post.id],
    ['status', post.status],
    ['connection', `${post.connectionSlug} (${post.platformId})`],
    ['created', post.createdAt],
    ['scheduled for', post.scheduledFor],
    ['sent', post.sentAt],
    ['url', post.url],
    ['images', post.media.length === 0 ? null : String(post.media.length)],
    ['tags', post.tags.length === 0 ? null : post.tags.join(', ')],
    ['error', post.error === null ? null : `${post.error.message} (${post.error.code})`],
  ]);
  return { body, text: `${head}\n${[post.text, ...post.thread].map(plainText).join('\n\n')}\n` };
}

function settled(call: Call, body: { result: PostResult }): Answer {
  return answerOfResults(call, body, [body.result]);
}

async function cancel(call: Call): Promise<Answer> {
  const client = await clientOf(call.io);
  const { post } = await client.posts.get.query({ postId: idOf(call) });
  refuseSent(post);
  const ifStatus = post.status === 'draft' ? 'draft' : 'scheduled';
  try {
    return deletion(await client.posts.delete.mutate({ postId: post.id, ifStatus }));
  } catch (error) {
    if (hasErrorCode(error, 'post_not_cancellable')) {
      const changed = await client.posts.get.query({ postId: post.id });
      refuseSent(changed.post);
    }
    throw error;
  }
}

/** @throws CommandError for a post that is or was on its platform */
function refuseSent({ id, status, platformId }: Post): void {
  if (status !== 'sent' && status !== 'deleted') return;
  throw new CommandError(
    'refused',
    `The post is ${status}, so it cannot be cancelled.`,
    `To delete it from ${platformId}: carillon take-down ${id}`,
  );
}

async function takeDown(call: Call): Promise<Answer> {
  const client = await clientOf(call.io);
  const { post } = await client.posts.get.query({ postId: idOf(call) });
  if (post.status !== 'sent' && post.status !== 'deleted') {
    throw new CommandError(
      'refused',
      `The post is ${post.status}, so it is not on a platform.`,
      `To cancel a waiting one: carillon cancel ${post.id}`,
    );
  }
  return deletion(await client.posts.delete.mutate({ postId: post.id, ifStatus: 'sent' }));
}

function deletion(body: { id: string; deleted?: true; status?: string }): Answer {
  return { body, text: `The post ${body.id} is ${body.status ?? 'deleted'}.\n` };
}

async function metrics(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).posts.metrics.query({ postId: idOf(call) });
  if (body.latest === null) return { body, text: 'No metrics yet. The first are read an hour after sending.\n' };
  const names = ['impressions', 'likes', 'reposts', 'replies', 'clicks'] as const;
  const rows = body.history.map((read) => [read.fetchedAt, ...names.map((name) => String(read[name] ?? ''))]);
  return {
    body,
    text: table(io.stdout, painter(io.stdout, io.env), ['READ', ...names.map((name) => name.toUpperCase())], rows),
  };
}
