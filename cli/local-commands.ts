/**
 * Commands that read the database or the files of an install. They load the server's code, so only a checkout has them;
 * scripts/build-cli.ts leaves this module out of the package.
 */
import { backupCommand } from './backup-command.ts';
import type { Answer, Call, CommandSpec, OptionSpec } from './command.ts';
import { databaseCommand } from './database-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { operator, URL_OPTION } from './operator-commands.ts';

const DATA_DIR_OPTION: OptionSpec = { flags: '--data-dir <folder>', text: 'Data folder. Default: DATA_DIR.' };

export const LOCAL_COMMANDS: readonly CommandSpec[] = [
  operator(
    backupCommand,
    'backup create',
    'Back the running install up: embedded database, images, generated key.',
    [],
    [{ flags: '--to <folder>', text: 'Where to put it. Default: BACKUP_DIR.' }],
  ),
  operator(backupCommand, 'backup list', 'List the backups in BACKUP_DIR.'),
  operator(backupCommand, 'backup verify', 'Check that a backup is complete and readable.', ['<backup>']),
  operator(
    backupCommand,
    'backup restore',
    'Put a backup into a data folder that no server uses.',
    ['<backup>'],
    [
      DATA_DIR_OPTION,
      { flags: '--replace', text: 'Move what is there aside.' },
      { flags: '--keys <file>', text: 'The file keys.json, when it was kept apart from the backup.' },
    ],
  ),
  {
    name: 'database copy',
    summary: 'Copy an install between the embedded database and an empty PostgreSQL database, while no server runs.',
    options: [
      { flags: '--to <postgres url>', text: 'Copy the embedded database there.' },
      { flags: '--from <postgres url>', text: 'Copy that database to a data folder without an embedded database.' },
      DATA_DIR_OPTION,
    ],
    hasNoJson: true,
    run: async ({ io, raw }) => ({ body: null, text: await databaseCommand([...raw], io.env) }),
  },
  {
    name: 'doctor',
    summary: 'Check the install. Exit code 0: ok, 1: warnings, 2: failures.',
    options: [URL_OPTION],
    run: doctor,
  },
];

async function doctor({ io, raw, isJson }: Call): Promise<Answer> {
  const { output, exitCode } = await doctorCommand(io.fetch, [...raw], io.env);
  return { body: isJson ? (JSON.parse(output) as unknown) : null, text: output, exitCode };
}
