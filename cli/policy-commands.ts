/** `policies` and `policy`: what keys and agents may send without a person. They need a key of the whole account. */
import { hasErrorCode } from '../client/errors.ts';
import { type Answer, type Call, type CommandSpec, hasFlag, isGiven, valueOf, valuesOf } from './command.ts';
import { UsageError } from './operator-client.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { type Client, clientOf } from './signed-in.ts';
import { facts, painter, table } from './terminal-text.ts';

type Wanted = Parameters<Client['policies']['set']['mutate']>[0];
type Rules = Omit<Wanted, 'policyId'>;
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
    summary: 'Show, change, try or remove the policy of a key or agent. Rules that no option names stay.',
    operands: ['<key or grant id>'],
    options: [
      { flags: '--per-hour <number>', text: 'Most posts in any 60 minutes.' },
      { flags: '--per-day <number>', text: 'Most posts in any 24 hours.' },
      { flags: '--quiet <from-to>', text: 'Wall times between which nothing goes out, such as 22:00-07:00.' },
      { flags: '--timezone <name>', text: 'With --quiet: their time zone. Default: as before, or UTC.' },
      { flags: '--spend <cents>', text: 'Most fees of a month, in cents.' },
      { flags: '--connection <id>', text: 'Only this connection.', isRepeated: true },
      { flags: '--platform <id>', text: 'Only this platform.', isRepeated: true },
      { flags: '--ask-always', text: 'Ask a person about every post.' },
      { flags: '--ask-word <word>', text: 'Ask a person about this word.', isRepeated: true },
      { flags: '--ask-links', text: 'Ask a person about links.' },
      { flags: '--allow-host <host>', text: 'With --ask-links: not about links to this host.', isRepeated: true },
      { flags: '--remove-rule <rule>', text: 'Remove a rule, by its option: per-day, ask-always.', isRepeated: true },
      { flags: '--try', text: 'Only show what the changed rules would have done to its recent posts.' },
      { flags: '--remove', text: 'Remove the policy.' },
    ],
    run: policy,
  },
];

/** What an option leaves in a policy when its rule is removed. */
const REMOVED = {
  'per-hour': { postsPerHour: null },
  'per-day': { postsPerDay: null },
  quiet: { quietHours: null },
  spend: { spendCentsPerMonth: null },
  connection: { connectionIds: null },
  platform: { platforms: null },
  'ask-always': { approvalAlways: false },
  'ask-word': { approvalWords: [] },
  'ask-links': { approvalLinks: false },
  'allow-host': { linkHosts: [] },
} satisfies Record<string, Partial<Rules>>;

type RuleOption = keyof typeof REMOVED;

const RULE_OPTIONS = Object.keys(REMOVED) as RuleOption[];

const NO_RULES: Rules = Object.assign({}, ...Object.values(REMOVED));

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
  const changes = changesOf(call);
  const hasRules = Object.keys(changes).length > 0;
  if (hasFlag(call, 'remove')) {
    if (hasRules) throw new UsageError('--remove goes without rules.');
    const body = await client.policies.remove.mutate({ policyId });
    return { body, text: `The policy of ${policyId} is removed.\n` };
  }
  if (!hasRules && !hasFlag(call, 'try')) {
    const body = await client.policies.get.query({ policyId });
    return { body, text: factsOf(body.policy) };
  }
  const wanted = { policyId, ...changed(await presentRules(client, policyId), changes) };
  if (hasFlag(call, 'try')) {
    const body = await client.policies.try.mutate(wanted);
    const lines = body.stopped.map(
      ({ postId, rules }) => `${postId}: ${rules.map(({ message }) => message).join(' ')}\n`,
    );
    return { body, text: `${body.stopped.length} of ${body.posts} posts would have been stopped.\n${lines.join('')}` };
  }
  const body = await client.policies.set.mutate(wanted);
  return { body, text: factsOf(body.policy) };
}

/** The rules of the policy, which setting replaces as a whole. */
async function presentRules(client: Client, policyId: string): Promise<Rules> {
  try {
    const { rules } = (await client.policies.get.query({ policyId })).policy;
    return { ...rules, platforms: rules.platforms as Rules['platforms'] };
  } catch (error) {
    // A key without a policy. If there is no such key, setting says so.
    if (hasErrorCode(error, 'not_found')) return NO_RULES;
    throw error;
  }
}

/** New quiet hours without a time zone keep that of the ones before. */
interface Changes extends Partial<Omit<Rules, 'quietHours'>> {
  quietHours?: { from: string; to: string; timezone: string | undefined } | null;
}

function changed(rules: Rules, changes: Changes): Rules {
  const { quietHours = rules.quietHours, ...others } = changes;
  const timezone = quietHours?.timezone ?? rules.quietHours?.timezone ?? 'UTC';
  return { ...rules, ...others, quietHours: quietHours ? { ...quietHours, timezone } : null };
}

/** @returns only the rules that an option names */
function changesOf(call: Call): Changes {
  const timezone = valueOf(call, 'timezone');
  if (timezone !== undefined && !isGiven(call, 'quiet')) throw new UsageError('--timezone goes together with --quiet.');
  const [from = '', to = ''] = valueOf(call, 'quiet')?.split('-') ?? [];
  const named: Record<RuleOption, Changes> = {
    'per-hour': { postsPerHour: numberOf(call, 'per-hour') },
    'per-day': { postsPerDay: numberOf(call, 'per-day') },
    quiet: { quietHours: { from, to, timezone } },
    spend: { spendCentsPerMonth: numberOf(call, 'spend') },
    connection: { connectionIds: valuesOf(call, 'connection') },
    // The service says which platforms there are.
    platform: { platforms: valuesOf(call, 'platform') as NonNullable<Rules['platforms']> },
    'ask-always': { approvalAlways: true },
    'ask-word': { approvalWords: valuesOf(call, 'ask-word') },
    'ask-links': { approvalLinks: true },
    'allow-host': { linkHosts: valuesOf(call, 'allow-host') },
  };
  const given = RULE_OPTIONS.filter((name) => isGiven(call, name));
  const removed = valuesOf(call, 'remove-rule').map((text) => ruleOption(text, given));
  return Object.assign({}, ...given.map((name) => named[name]), ...removed.map((name) => REMOVED[name])) as Changes;
}

/** @param given rules that the same call sets */
function ruleOption(text: string, given: readonly RuleOption[]): RuleOption {
  const found = RULE_OPTIONS.find((name) => name === text);
  if (found === undefined) throw new UsageError(`--remove-rule is one of ${RULE_OPTIONS.join(', ')}, not "${text}".`);
  if (given.includes(found)) throw new UsageError(`--remove-rule ${text} goes without --${text}.`);
  return found;
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
