/**
 * `owner link`: creates a link with which the owner of an account chooses email and password, the first time or after
 * losing it; `--email` names another person of the account (docs/contract/agents.md#people).
 */
import { onlyAccount } from './account-command.ts';
import { type Environment, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = { url: { type: 'string' }, email: { type: 'string' } } as const;

/** @returns what to print */
export async function ownerCommand(request: Request, args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const [verb, accountId] = positionals;
  if (verb !== 'link' || positionals.length > 2) throw new UsageError('');
  const client = await operatorClient(request, values, env);
  const id = accountId ?? (await onlyAccount(client));
  const path = `/accounts/${encodeURIComponent(id)}/owner-link`;
  const wish = values.email === undefined ? undefined : { email: values.email };
  const { url, expiresAt } = (await client.call('POST', path, wish)) as { url: string; expiresAt: string };
  return `${url}\nIt works once, until ${expiresAt}. Earlier links no longer work.\n`;
}
