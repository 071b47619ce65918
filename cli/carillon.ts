/**
 * The command line. It calls a running server over HTTP and never opens the database, which only that server may open.
 */
import { accountCommand } from './account-command.ts';
import { keyCommand } from './key-command.ts';
import { listenCommand } from './listen-command.ts';
import { oauthCommand } from './oauth-command.ts';
import { UsageError } from './operator-client.ts';
import { ownerCommand } from './owner-command.ts';
import { systemClock } from '../server/clocks.ts';

const USAGE = `Usage: npm run carillon -- <command>

  account list                        list the accounts of the install
  account set [<id>] <settings>       change an account; the id may be left out when there is only one
      --plan free|pro|unlimited
      --payment-method yes|no
      --x-spend-cap-cents <cents>|none
      --messages <number>|none|default     SMS and email together in a UTC day; default is MESSAGES_PER_DAY

  key create --live|--test            make a key that reaches the whole account, and print it this once
      --name <name>
  key list                            list the keys that reach the whole account
  key revoke <id>                     revoke a key; what it minted stays, so that another one can take its place
      --with-minted                   revoke every key that it minted too, and end their webhooks
      --account <id>                  with each of them, where there are several accounts

  owner link [<account id>]           print a link, good for an hour, with which the owner chooses email and password;
                                      it replaces a lost password

  oauth client add <id> <address>...  add a client that cannot register itself; answers go to these addresses
  oauth rotate-keys                   sign access tokens with a new key from now on

  listen --forward <url>              relay the events that a key receives to a receiver on this machine
      --key <key>                     whose events (default: CARILLON_KEY)
      --secret <secret>               what they are signed with (default: a new one, printed)

Options:
  --url <origin>      server to talk to (default: this machine and PORT; for listen PUBLIC_URL)
  --token <token>     operator's token, for account, key, owner and oauth (default: OPERATOR_TOKEN, or the one that the server keeps in DATA_DIR)
`;

const [command, ...rest] = process.argv.slice(2);
try {
  if (command === 'listen') await listen(rest);
  else if (command === 'account') process.stdout.write(await accountCommand(globalThis.fetch, rest, process.env));
  else if (command === 'key') process.stdout.write(await keyCommand(globalThis.fetch, rest, process.env));
  else if (command === 'owner') process.stdout.write(await ownerCommand(globalThis.fetch, rest, process.env));
  else if (command === 'oauth') process.stdout.write(await oauthCommand(globalThis.fetch, rest, process.env));
  else throw new UsageError(USAGE);
} catch (error) {
  const message = error instanceof UsageError && error.message === '' ? USAGE : (error as Error).message;
  process.stderr.write(`${message.trimEnd()}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function listen(args: string[]): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stopping.abort());
  // Loads the whole app, which the other commands do not need.
  const { systemRandom } = await import('../server/context.ts');
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const io = { request: globalThis.fetch, clock: systemClock, random: systemRandom(systemClock), print };
  await listenCommand({ ...io, signal: stopping.signal }, args, process.env);
}
