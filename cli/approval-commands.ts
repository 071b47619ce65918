/** `approvals`, `approve` and `reject`: decisions on posts that wait for a person. They need a key of the whole account. */
import { type Answer, type Call, type CommandSpec, valueOf } from './command.ts';
import { UsageError } from './operator-client.ts';
import { answerOfResults } from './post-results.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { clientOf } from './signed-in.ts';
import { painter, table } from './terminal-text.ts';

export const APPROVAL_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'approvals',
    summary: 'List the posts that wait for approval, oldest first.',
    options: PAGE_OPTIONS,
    run: list,
  },
  {
    name: 'approve',
    summary: 'Approve a post, which is then sent or scheduled as planned.',
    operands: ['<post id>'],
    options: [
      { flags: '--text <text>', text: 'Change the text first.' },
      {
        flags: '--next <number>',
        text: 'Also let this many further posts of the same key or agent go out without asking.',
      },
      { flags: '--until <time>', text: 'With --next: until this instant, at most 24 hours ahead. Default: 24 hours.' },
    ],
    run: approve,
  },
  {
    name: 'reject',
    summary: 'Reject a post. It stays a draft, and the agent that asked reads the reason.',
    operands: ['<post id>', '<reason>'],
    run: reject,
  },
];

async function list(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).approvals.list.query(pageOf(call));
  const cells = body.approvals.map(({ postId, connectionSlug, approval, content }) => [
    postId,
    connectionSlug,
    approval.plan.scheduledFor ?? (approval.plan.queue ? 'queue' : 'now'),
    approval.requestedBy.name,
    content.text,
  ]);
  const headings = ['POST', 'CONNECTION', 'WHEN', 'ASKED BY', 'TEXT'];
  return { body, text: table(io.stdout, painter(io.stdout, io.env), headings, cells) + moreText(body.nextCursor) };
}

async function approve(call: Call): Promise<Answer> {
  const [postId = ''] = call.operands;
  const [text, next, until] = [valueOf(call, 'text'), valueOf(call, 'next'), valueOf(call, 'until')];
  if (next === undefined && until !== undefined) throw new UsageError('--until goes together with --next.');
  if (next !== undefined && !/^\d{1,3}$/.test(next)) throw new UsageError(`--next is a whole number, not "${next}".`);
  const client = await clientOf(call.io);
  // What is approved is the request that waits now, and no later one.
  const { post } = await client.posts.get.query({ postId });
  const body = await client.approvals.approve.mutate({
    postId,
    ...(post.approval !== null && { requestedAt: post.approval.requestedAt }),
    ...(text !== undefined && { text }),
    ...(next !== undefined && { next: { posts: Number(next), ...(until !== undefined && { until }) } }),
  });
  return answerOfResults(call, body, [body.result]);
}

async function reject(call: Call): Promise<Answer> {
  const [postId = '', reason = ''] = call.operands;
  const body = await (await clientOf(call.io)).approvals.reject.mutate({ postId, reason });
  return { body, text: `The post ${postId} is rejected and stays a draft.\n` };
}
