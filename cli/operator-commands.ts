/** The operator's commands, over HTTP with the operator's token from OPERATOR_TOKEN or DATA_DIR. */
import { accountCommand } from './account-command.ts';
import type { Call, CommandSpec, OptionSpec } from './command.ts';
import { keyCommand } from './key-command.ts';
import { oauthCommand } from './oauth-command.ts';
import type { Environment, Request } from './operator-client.ts';
import { ownerCommand } from './owner-command.ts';
import { restoreCommand } from './restore-command.ts';

export type TextCommand = (request: Request, args: string[], env: Environment) => Promise<string>;

export const URL_OPTION: OptionSpec = {
  flags: '--url <origin>',
  text: 'Server to talk to. Default: this machine and PORT.',
};
const ACCOUNT_OPTION: OptionSpec = { flags: '--account <id>', text: 'Account of the key, when there are several.' };

export const OPERATOR_COMMANDS: readonly CommandSpec[] = [
  operator(accountCommand, 'account list', 'List the accounts of the install.'),
  operator(
    accountCommand,
    'account set',
    'Change an account; leave the id out when there is only one.',
    ['[account id]'],
    [
      { flags: '--plan <plan>', text: 'free, pro or unlimited.' },
      { flags: '--payment-method <yes|no>', text: 'Whether fees can be collected.' },
      { flags: '--x-spend-cap-cents <cents|none>', text: 'Most that X fees may come to in a UTC month.' },
      {
        flags: '--messages <number|none|default>',
        text: 'SMS and email together in a UTC day; default is MESSAGES_PER_DAY.',
      },
    ],
  ),
  operator(
    keyCommand,
    'key create',
    'Create a key that reaches the whole account, and print it once.',
    [],
    [
      { flags: '--live', text: 'A key that posts to platforms.' },
      { flags: '--test', text: 'A key that reaches sandboxes only.' },
      { flags: '--name <name>', text: 'Name of the key.' },
      ACCOUNT_OPTION,
    ],
  ),
  operator(keyCommand, 'key list', 'List the keys that reach the whole account.', [], [ACCOUNT_OPTION]),
  operator(
    keyCommand,
    'key revoke',
    'Revoke a key. The keys that it minted stay.',
    ['<key id>'],
    [{ flags: '--with-minted', text: 'Revoke every key that it minted too, and end their webhooks.' }, ACCOUNT_OPTION],
  ),
  operator(
    ownerCommand,
    'owner link',
    'Print a link, good for an hour, with which the owner chooses email and password. It replaces a lost password.',
    ['[account id]'],
    [{ flags: '--email <address>', text: 'Another person of the account.' }],
  ),
  operator(
    oauthCommand,
    'oauth client add',
    'Add a client that cannot register itself; answers go to these addresses.',
    ['<client id>', '<address...>'],
  ),
  operator(oauthCommand, 'oauth rotate-keys', 'Sign access tokens with a new key from now on.'),
  operator(restoreCommand, 'restore status', 'Show the posts that are held after a backup was restored.'),
  operator(restoreCommand, 'restore hold', 'Hold every post that is due now.'),
  operator(
    restoreCommand,
    'restore settle',
    'Look the held posts up on their platforms; those that are not found fail.',
  ),
  operator(restoreCommand, 'restore release', 'Send the held posts: none of them has gone out.'),
];

/** A command whose function parses its own arguments and gives text. */
export function operator(
  command: TextCommand,
  name: string,
  summary: string,
  operands: readonly string[] = [],
  options: readonly OptionSpec[] = [],
): CommandSpec {
  const run = async ({ io, raw }: Call) => {
    const text = await command(io.fetch, [...raw], io.env);
    return { body: null, text };
  };
  return { name, summary, operands, options: [...options, URL_OPTION], hasNoJson: true, run };
}
