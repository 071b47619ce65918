/** `policies` and `policy`: what keys and agents may send without a person. They need a key of the whole account. */
import { type Answer, type Call, type CommandSpec, hasFlag, isGiven, valueOf, valuesOf } from './command.ts';
import { UsageError } from './operator-client.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { type Client, clientOf } from './signed-in.ts';
import { facts, painter, table } from './terminal-text.ts';

type Wanted = Parameters<Client['policies']['set']['mutate']>[0];
type Policy = Awaited<ReturnType<Client['policies']['get']['query']>>['policy'];

export const POLICY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'policies',
    summary: 'List the keys and agents that follow a policy.',
    options: PAGE_OPTIONS,
    run: list,
  },
  {
    name: 'policy',
    summary: 'Show, set, try or remove the policy of a key or agent.',
    operands: ['<key or grant id>'],
    options: [
      { flags: '--per-hour <number>', text: 'Most posts in any 60 minutes.' },
      { flags: '--per-day <number>', text: 'Most posts in any 24 hours.' },
      { flags: '--quiet <from-to>', text: 'Wall times between which nothing goes out, such as 22:00-07:00.' },
      { flags: '--timezone <name>', text: 'With --quiet: their time zone. Default: UTC.' },
      { flags: '--spend <cents>', text: 'Most fees of a month, in cents.' },
      { flags: '--connection <id>', text: 'Only this connection.', isRepeated: true },
      { flags: '--platform <id>', text: 'Only this platform.', isRepeated: true },
      { flags: '--ask-always', text: 'Ask a person about every post.' },
      { flags: '--ask-word <word>', text: 'Ask a person about this word.', isRepeated: true },
      { flags: '--ask-links', text: 'Ask a person about links.' },
      { flags: '--allow-host <host>', text: 'With --ask-links: not about links to this host.', isRepeated: true },
      { flags: '--try', text: 'Only show what these rules would have done to its recent posts.' },
      { flags: '--remove', text: 'Remove the policy.' },
    ],
    run: policy,
  },
];

const RULE_OPTIONS = [
  'per-hour',
  'per-day',
  'quiet',
  'timezone',
  'spend',
  'connection',
  'platform',
  'ask-always',
  'ask-word',
  'ask-links',
  'allow-host',
] as const;

async function list(call: Call): Promise<Answer> {
  const { io } = call;
  const body = await (await clientOf(io)).policies.list.query(pageOf(call));
  const cells = body.policies.map(({ policyId, kind, name, postsLastHour, postsLastDay, changedBy }) => [
    policyId,
    kind,
    name ?? '',
    String(postsLastHour),
    String(postsLastDay),
    changedBy.name,
  ]);
  const headings = ['ID', 'OF', 'NAME', 'LAST HOUR', 'LAST DAY', 'SET BY'];
  return { body, text: table(io.stdout, painter(io.stdout, io.env), headings, cells) + moreText(body.nextCursor) };
}

async function policy(call: Call): Promise<Answer> {
  const [policyId = ''] = call.operands;
  const client = await clientOf(call.io);
  const hasRules = RULE_OPTIONS.some((name) => isGiven(call, name));
  if (hasFlag(call, 'remove')) {
    if (hasRules) throw new UsageError('--remove goes without rules.');
    const body = await client.policies.remove.mutate({ policyId });
    return { body, text: `The policy of ${policyId} is removed.\n` };
  }
  const wanted = { policyId, ...rulesOf(call) };
  if (hasFlag(call, 'try')) {
    const body = await client.policies.try.mutate(wanted);
    const lines = body.stopped.map(
      ({ postId, rules }) => `${postId}: ${rules.map(({ message }) => message).join(' ')}\n`,
    );
    return { body, text: `${body.stopped.length} of ${body.posts} posts would have been stopped.\n${lines.join('')}` };
  }
  const body = hasRules ? await client.policies.set.mutate(wanted) : await client.policies.get.query({ policyId });
  return { body, text: factsOf(body.policy) };
}

function rulesOf(call: Call): Omit<Wanted, 'policyId'> {
  const [connectionIds, platforms] = [valuesOf(call, 'connection'), valuesOf(call, 'platform')];
  const quiet = valueOf(call, 'quiet');
  const [from = '', to = ''] = quiet?.split('-') ?? [];
  const timezone = valueOf(call, 'timezone');
  if (quiet === undefined && timezone !== undefined) throw new UsageError('--timezone goes together with --quiet.');
  return {
    connectionIds: connectionIds.length === 0 ? null : connectionIds,
    // The service says which platforms there are.
    platforms: platforms.length === 0 ? null : (platforms as NonNullable<Wanted['platforms']>),
    postsPerHour: numberOf(call, 'per-hour'),
    postsPerDay: numberOf(call, 'per-day'),
    quietHours: quiet === undefined ? null : { from, to, timezone: timezone ?? 'UTC' },
    spendCentsPerMonth: numberOf(call, 'spend'),
    approvalAlways: hasFlag(call, 'ask-always'),
    approvalWords: valuesOf(call, 'ask-word'),
    approvalLinks: hasFlag(call, 'ask-links'),
    linkHosts: valuesOf(call, 'allow-host'),
  };
}

function numberOf(call: Call, name: 'per-hour' | 'per-day' | 'spend'): number | null {
  const text = valueOf(call, name);
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} is a whole number, not "${text}".`);
  return Number(text);
}

function factsOf({ policyId, kind, name, rules, postsLastHour, postsLastDay }: Policy): string {
  const { quietHours, connectionIds, platforms, linkHosts } = rules;
  const listed = (values: readonly string[] | null) =>
    values === null || values.length === 0 ? null : values.join(', ');
  const most = (count: number | null, used: number) => (count === null ? null : `at most ${count}, ${used} used`);
  const hosts = linkHosts.length === 0 ? '' : `, except to ${linkHosts.join(', ')}`;
  return facts([
    [kind === 'grant' ? 'Agent' : 'Key', name ?? policyId],
    ['Connections', listed(connectionIds)],
    ['Platforms', listed(platforms)],
    ['In 60 minutes', most(rules.postsPerHour, postsLastHour)],
    ['In 24 hours', most(rules.postsPerDay, postsLastDay)],
    ['Quiet hours', quietHours === null ? null : `${quietHours.from} to ${quietHours.to} (${quietHours.timezone})`],
    ['Fees a month', rules.spendCentsPerMonth === null ? null : `at most ${rules.spendCentsPerMonth} cents`],
    ['Asks about', rules.approvalAlways ? 'every post' : null],
    ['Asks about words', listed(rules.approvalWords)],
    ['Asks about links', rules.approvalLinks ? `all${hosts}` : null],
  ]);
}
