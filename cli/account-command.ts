/**
 * `account list` and `account set`: account settings that the operator controls
 * (docs/contract/errors-and-limits.md#plans).
 */
import type { AccountView } from '../services/account/read-account.ts';
import { type Environment, type OperatorClient, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = {
  url: { type: 'string' },
  plan: { type: 'string' },
  'payment-method': { type: 'string' },
  'x-spend-cap-cents': { type: 'string' },
  messages: { type: 'string' },
} as const;

type Settings = Partial<Record<keyof typeof OPTIONS, string>>;

/** @returns what to print */
export async function accountCommand(request: Request, args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const [verb, accountId] = positionals;
  const changes = readChanges(values);
  if (verb === 'list' && positionals.length === 1) {
    const client = await operatorClient(request, values, env);
    return (await listAccounts(client)).map(describe).join('\n');
  }
  if (verb !== 'set' || positionals.length > 2) throw new UsageError('');
  if (Object.keys(changes).length === 0) {
    throw new UsageError('Name at least one of --plan, --payment-method, --x-spend-cap-cents and --messages.');
  }
  const client = await operatorClient(request, values, env);
  const id = accountId ?? (await onlyAccount(client));
  const { account } = (await client.call('PATCH', `/accounts/${encodeURIComponent(id)}`, changes)) as {
    account: AccountView;
  };
  return describe(account);
}

function readChanges(values: Settings): Record<string, unknown> {
  const { plan, 'payment-method': payment, 'x-spend-cap-cents': cap, messages } = values;
  if (payment !== undefined && payment !== 'yes' && payment !== 'no') {
    throw new UsageError(`--payment-method is yes or no, not "${payment}".`);
  }
  if (cap !== undefined && cap !== 'none' && !/^\d+$/.test(cap)) {
    throw new UsageError(`--x-spend-cap-cents is a whole number of cents or none, not "${cap}".`);
  }
  if (messages !== undefined && !/^(?:\d{1,9}|none|default)$/.test(messages)) {
    throw new UsageError(`--messages is a whole number of messages a day, none or default, not "${messages}".`);
  }
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(payment === undefined ? {} : { hasPaymentMethod: payment === 'yes' }),
    ...(cap === undefined ? {} : { xSpendCapCents: cap === 'none' ? null : Number(cap) }),
    ...(messages === undefined ? {} : { messagesPerDay: messageCap(messages) }),
  };
}

function messageCap(messages: string): number | 'default' | null {
  if (messages === 'default') return messages;
  return messages === 'none' ? null : Number(messages);
}

async function listAccounts(client: OperatorClient): Promise<AccountView[]> {
  return ((await client.call('GET', '/accounts')) as { accounts: AccountView[] }).accounts;
}

/** @throws UsageError when there are several accounts */
export async function onlyAccount(client: OperatorClient): Promise<string> {
  const [first, ...others] = await listAccounts(client);
  if (first === undefined) throw new Error('The install has no account yet.');
  if (others.length > 0) throw new UsageError('There are several accounts; name the one by its id (account list).');
  return first.id;
}

function describe({ id, plan, hasPaymentMethod, xSpendCapCents, usage, caps }: AccountView): string {
  const of = (used: number, cap: number | null) => (cap === null ? `${used}` : `${used} of ${cap}`);
  return `${[
    `account ${id}`,
    `  plan                ${plan}`,
    `  payment method      ${hasPaymentMethod ? 'yes' : 'no'}`,
    `  X spend this month  ${of(usage.xSpendCents, xSpendCapCents)} cents`,
    `  posts today         ${of(usage.postsToday, caps.postsPerDay)}`,
    `  messages today      ${of(usage.messagesToday, caps.messagesPerDay)}`,
    `  active connections  ${of(usage.activeConnections, caps.activeConnections)}`,
  ].join('\n')}\n`;
}
