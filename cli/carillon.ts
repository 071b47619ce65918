/**
 * The operator's command line. It talks HTTP to a running server and never opens the database, which
 * belongs to that server alone.
 */
import { accountCommand } from './account-command.ts';
import { UsageError } from './operator-client.ts';

const USAGE = `Usage: npm run carillon -- <command>

  account list                        list the accounts of the install
  account set [<id>] <settings>       change an account; the id may be left out when there is only one
      --plan free|pro|unlimited
      --payment-method yes|no
      --x-spend-cap-cents <cents>|none

Options:
  --url <origin>      server to talk to (default: PUBLIC_URL, or http://127.0.0.1 and PORT)
  --token <token>     operator's token (default: OPERATOR_TOKEN, or the one that the server keeps in DATA_DIR)
`;

const [command, ...rest] = process.argv.slice(2);
try {
  if (command !== 'account') throw new UsageError(USAGE);
  process.stdout.write(await accountCommand(globalThis.fetch, rest, process.env));
} catch (error) {
  const message = error instanceof UsageError && error.message === '' ? USAGE : (error as Error).message;
  process.stderr.write(`${message.trimEnd()}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
